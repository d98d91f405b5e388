//! Contents of messages: descriptors in the instruction, and lengths that fit them.

use super::context::{Context, Rule, rules};
use crate::desc::{
    self, DataOp, Lengths, Message, MessageShape, SamplerOp, SamplerSimd, ex_mlen,
    header_registers, shape,
};
use crate::inst::{Desc, Send, Sfid};
use crate::opcode::Form;

pub(super) static RULES: &[Rule] = rules! {
    "message-known": known, "the receiver knows no such message: its descriptor has reserved codes or bits";
    "message-header": header, "the message must have a header, or must not";
    "message-payload": payload, "the payload's length is not that of the message";
    "message-response": response, "the response's length is not that of the message";
    "message-surface": surface, "the binding-table index is reserved";
    "sampler-gradient-width": gradient_width, "gradients leave no room for sixteen channels";
};

/// Sends with a descriptor in the instruction.
pub(super) fn concern(c: &Context) -> bool {
    immediate(c).is_some()
}

fn immediate(c: &Context) -> Option<(Send, u32)> {
    let send = c.inst.send?;
    match send.desc {
        // Another rule is about receivers that do not exist.
        Desc::Imm(desc) if send.sfid != Sfid::Null => Some((send, desc)),
        _ => None,
    }
}

fn decoded(c: &Context) -> Option<(Message, Lengths)> {
    let (send, desc) = immediate(c)?;
    desc::decode(c.devinfo, send.sfid, desc).ok()
}

fn known(c: &Context) -> bool {
    immediate(c).is_some() && decoded(c).is_none()
}

/// The message, its lengths and what they must be.
fn shaped(c: &Context) -> Option<(Message, Lengths, MessageShape)> {
    let (message, lengths) = decoded(c)?;
    let shape = shape(c.devinfo, &message, lengths)?;
    Some((message, lengths, shape))
}

fn header(c: &Context) -> bool {
    shaped(c).is_some_and(|(_, lengths, shape)| {
        shape.header.is_some_and(|header| header != lengths.header)
    })
}

/// Registers of the whole payload, header included; `None` if a split send's second part is not
/// known.
fn payload_length(c: &Context, lengths: Lengths) -> Option<u8> {
    let second = match c.inst.send?.ex_desc {
        Desc::Imm(ex_desc) if c.form == Form::SplitSend && !c.inst.src[1].is_null() => {
            ex_mlen(ex_desc)
        }
        Desc::Imm(_) => 0,
        Desc::Indirect { .. } => return None,
    };
    Some(lengths.mlen + second)
}

fn payload(c: &Context) -> bool {
    let Some((message, lengths, shape)) = shaped(c) else { return false };
    let Some(sent) = payload_length(c, lengths) else { return false };
    let header = if lengths.header { header_registers(&message) } else { 0 };
    !sent.checked_sub(header).is_some_and(|payload| shape.payload.contains(payload))
}

fn response(c: &Context) -> bool {
    shaped(c).is_some_and(|(_, lengths, shape)| !shape.response.contains(lengths.rlen))
}

/// Entries 240 and above are not surfaces: 255 and below it, depending on the generation, are
/// stateless memory or bindless surfaces, 254 is shared local memory (`brw_eu_defines.h`).
fn surface(c: &Context) -> bool {
    const FIRST_RESERVED: u8 = 240;
    const SHARED_LOCAL: u8 = 254;
    let Some((message, _)) = decoded(c) else { return false };
    let first_special = c.devinfo.first_stateless_index;
    match message {
        Message::Sampler(m) => m.surface >= FIRST_RESERVED && !is_bindless(c, m.surface),
        Message::RenderTarget(m) => m.surface >= FIRST_RESERVED && !is_bindless(c, m.surface),
        Message::DataPort(m) if matches!(m.op, DataOp::Fence { .. }) => false,
        Message::DataPort(m) => {
            (FIRST_RESERVED..first_special).contains(&m.surface) && m.surface != SHARED_LOCAL
        }
        _ => false,
    }
}

/// Gen9's entry for surfaces that are named by their state's address.
fn is_bindless(c: &Context, surface: u8) -> bool {
    c.devinfo.has_split_send && surface == c.devinfo.first_stateless_index
}

fn gradient_width(c: &Context) -> bool {
    decoded(c).is_some_and(|(message, _)| {
        matches!(message, Message::Sampler(m)
            if m.simd == SamplerSimd::Simd16 && matches!(m.op, SamplerOp::SampleD | SamplerOp::SampleDC))
    })
}
