//! Messages.

use super::context::{Context, Rule, is_direct_grf, rules};
use crate::desc::{Lengths, MAX_MLEN, ex_mlen};
use crate::inst::{Desc, Send, Sfid};
use crate::opcode::Form;
use crate::operand::RegFile;
use crate::quirks::Quirk;

pub(super) static RULES: &[Rule] = rules! {
    "send-payload": payload, "a message comes from directly addressed general registers";
    "send-modifiers": modifiers, "a message has no source modifiers";
    "send-destination": destination, "a response goes to directly addressed general registers or null";
    "send-length": length, "a message has 1 to 15 registers";
    "send-response-length": response_length, "a response has at most 16 registers";
    "send-width": width, "a message has at most 16 channels, unless it is of media or ignores their enables";
    "send-bounds": bounds, "message and response end at r127 at the latest";
    "send-eot-payload": eot_payload, "an end-of-thread message comes from r112–r127";
    "send-eot-response": eot_response, "an end-of-thread message has no response";
    "send-eot-destination": eot_destination, "an end-of-thread message has no general register as destination";
    "send-eot-receiver": eot_receiver, "render cache, URB and thread spawner end threads, on some devices the sampler";
    "send-split-second": split_second, "the second part of a split send is general registers or null";
    "send-split-empty": split_empty, "the second part of a split send has registers unless it is null";
    "send-split-overlap": split_overlap, "the parts of a split send do not overlap";
    "gen8-r127": response_r127, "a response over its own payload does not reach r127";
    "send-receiver": receiver, "the generation has no such shared function";
};

/// Sends, by their opcode or their message.
pub(super) fn concern(c: &Context) -> bool {
    matches!(c.form, Form::Send | Form::SplitSend) || c.inst.send.is_some()
}

/// First register that an end-of-thread message may use.
const EOT_FIRST: u8 = 112;
/// Longest response.
const MAX_RLEN: u32 = 16;

/// The message, its first part's length (1 if not known) and response's (0 if not known).
fn message(c: &Context) -> Option<(Send, u32, u32)> {
    let send = c.inst.send?;
    Some(match send.desc {
        Desc::Imm(desc) => {
            let lengths = Lengths::of(c.devinfo, desc);
            (send, u32::from(lengths.mlen), u32::from(lengths.rlen))
        }
        Desc::Indirect { .. } => (send, 1, 0),
    })
}

/// Registers of the second part of a split send, 1 if not known; 0 for other sends or a null second
/// part.
fn second_length(c: &Context, send: &Send) -> u32 {
    if c.form != Form::SplitSend || c.inst.src[1].is_null() {
        return 0;
    }
    match send.ex_desc {
        Desc::Imm(desc) => u32::from(ex_mlen(desc)),
        Desc::Indirect { .. } => 1,
    }
}

fn payload(c: &Context) -> bool {
    c.inst.send.is_some() && !is_direct_grf(&c.inst.src[0])
}

fn modifiers(c: &Context) -> bool {
    c.inst.send.is_some() && c.sources.iter().any(|src| src.negate || src.abs)
}

/// Without a response the destination means nothing.
fn destination(c: &Context) -> bool {
    let Some((send, _, rlen)) = message(c) else { return false };
    let responds = rlen > 0 || !matches!(send.desc, Desc::Imm(_));
    responds && c.real_dst().is_some_and(|dst| !is_direct_grf(dst))
}

fn length(c: &Context) -> bool {
    message(c).is_some_and(|(_, mlen, _)| mlen == 0 || mlen > u32::from(MAX_MLEN))
}

fn response_length(c: &Context) -> bool {
    message(c).is_some_and(|(_, _, rlen)| rlen > MAX_RLEN)
}

/// Scratch accesses of SIMD32 programs move whole registers. The sampler's media messages have 32
/// and 64 channels, and may be what a descriptor in a register asks for.
fn width(c: &Context) -> bool {
    let may_be_media =
        |send: &Send| send.sfid == Sfid::Sampler && !matches!(send.desc, Desc::Imm(_));
    c.inst
        .send
        .as_ref()
        .is_some_and(|send| c.exec_size > 16 && !c.inst.no_mask && !may_be_media(send))
}

fn bounds(c: &Context) -> bool {
    let Some((send, mlen, rlen)) = message(c) else { return false };
    let beyond =
        |nr: u8, count: u32| count > 0 && u32::from(nr) + count > u32::from(c.devinfo.grf_count);
    let [src0, src1, _] = &c.inst.src;
    beyond(src0.nr, mlen)
        || beyond(src1.nr, second_length(c, &send))
        || c.real_dst().is_some_and(|dst| is_direct_grf(dst) && beyond(dst.nr, rlen))
}

fn eot_payload(c: &Context) -> bool {
    let Some(send) = c.inst.send.filter(|send| send.eot) else { return false };
    let [src0, src1, _] = &c.inst.src;
    src0.nr < EOT_FIRST
        || second_length(c, &send) > 0 && src1.file == RegFile::Grf && src1.nr < EOT_FIRST
}

fn eot_response(c: &Context) -> bool {
    message(c).is_some_and(|(send, _, rlen)| send.eot && rlen > 0)
}

fn eot_destination(c: &Context) -> bool {
    c.inst.send.is_some_and(|send| send.eot) && c.inst.dst.file == RegFile::Grf
}

fn eot_receiver(c: &Context) -> bool {
    let ends = |sfid| match sfid {
        Sfid::RenderCache | Sfid::Urb | Sfid::ThreadSpawner => true,
        Sfid::Sampler => c.devinfo.sampler_ends_threads,
        _ => false,
    };
    c.inst.send.is_some_and(|send| send.eot && !ends(send.sfid))
}

fn split_empty(c: &Context) -> bool {
    let Some(send) = c.inst.send else { return false };
    c.form == Form::SplitSend && c.inst.src[1].file == RegFile::Grf && second_length(c, &send) == 0
}

fn split_second(c: &Context) -> bool {
    c.form == Form::SplitSend && c.inst.src[1].file != RegFile::Grf && !c.inst.src[1].is_null()
}

fn split_overlap(c: &Context) -> bool {
    let Some((send, mlen, _)) = message(c) else { return false };
    let second = second_length(c, &send);
    let (a, b) = (u32::from(c.inst.src[0].nr), u32::from(c.inst.src[1].nr));
    second > 0 && c.inst.src[1].file == RegFile::Grf && a < b + second && b < a + mlen
}

fn response_r127(c: &Context) -> bool {
    let Some((_, mlen, rlen)) = message(c) else { return false };
    let Some(dst) = c.real_dst().filter(|_| c.devinfo.has_quirk(Quirk::Gen8R127)) else {
        return false;
    };
    u32::from(dst.nr) + rlen > 127 && u32::from(c.inst.src[0].nr) + mlen > u32::from(dst.nr)
}

fn receiver(c: &Context) -> bool {
    let Some(send) = c.inst.send else { return false };
    match send.sfid {
        Sfid::Null => true,
        Sfid::DataCache1 => !c.devinfo.has_data_port_1,
        Sfid::Cre => !c.devinfo.has_cre,
        _ => false,
    }
}
