//! SEND and its relatives: gathering the payload, decoding the descriptor's common part, delivering
//! the response.
//!
//! [`intel_isa::desc`] decodes descriptors; payload and response layouts are described in the
//! modules of the receivers.

mod a64;
mod atomics;
mod dataport;
mod direct;
mod interpolator;
mod payload;
mod render;
mod sampler;
mod surface;
mod urb;

use intel_isa::desc::{self, GatewayFn, Lengths};
use intel_isa::{Desc, Inst, Opcode, RegFile, Send, Sfid};

use crate::alu::generic::predicate;
use crate::decoded::DecodedInstruction;
use crate::error::Reason;
use crate::host::Host;
use crate::kernel::Kernel;
use crate::op::low_bits;
use crate::quirks::Quirks;
use crate::regs::{GRF_COUNT, REG_SIZE, Registers};
use crate::thread::Thread;
use payload::{Message, Payload, Response, WHOLE};

/// Executes a send; `Ok(true)` if it ended the thread.
pub(crate) fn send(
    kernel: &Kernel,
    thread: &mut Thread,
    host: &mut dyn Host,
    decoded: &DecodedInstruction,
) -> Result<bool, Reason> {
    let DecodedInstruction { inst, op, message: known, .. } = decoded;
    let Some(send) = inst.send else { return Err(Reason::Message("no message".into())) };
    let descriptor = self::descriptor(&thread.regs, send.desc)?;
    let known = known.get().copied();
    let lengths = known.map_or_else(|| Lengths::of(kernel.devinfo, descriptor), |known| known.1);
    let active = thread.enables(op) & low_bits(op.shape.channels);
    if active == 0 && !send.eot {
        // No channel is enabled: code that is only walked through sends nothing.
        return Ok(false);
    }
    // The writemask of the destination takes part in the channel enables that are sent: spilling
    // code writes parts of vectors to scratch space with it.
    let unpredicated = active & op.dst.enables;
    let enabled = unpredicated & predicate(&thread.regs, op);
    if let Some(known) = &known {
        let channels = (enabled, op.shape.channels);
        if direct::execute(&mut thread.regs, host, inst, known, channels).is_some() {
            return Ok(false);
        }
    }
    let mut message = Message {
        quirks: &kernel.quirks,
        payload: Payload::new(),
        response: lengths.rlen.into(),
        header: lengths.header,
        enabled,
        unpredicated,
        channels: op.shape.channels,
        eot: send.eot,
    };
    gather(&thread.regs, inst, (0, lengths.mlen.into()), &mut message.payload)?;
    if matches!(inst.opcode, Opcode::Sends | Opcode::Sendsc) {
        let second = desc::ex_mlen(self::descriptor(&thread.regs, send.ex_desc)?);
        if second > 0 {
            gather(&thread.regs, inst, (1, second.into()), &mut message.payload)?;
        }
    }
    let answer = match send.sfid {
        Sfid::Null => Vec::new(),
        Sfid::Sampler if send.eot => {
            return Err(Reason::NotModeled("sampler messages that end the thread".into()));
        }
        _ => {
            let request = match known {
                Some((request, _)) => request,
                None => decode(kernel, decoded, &send, descriptor)?,
            };
            execute(&message, &request, thread, host)?
        }
    };
    deliver(&kernel.quirks, thread, inst, &message, lengths.mlen.into(), answer)?;
    Ok(send.eot)
}

/// The message of a descriptor. One that is in the instruction is decoded once.
fn decode(
    kernel: &Kernel,
    decoded: &DecodedInstruction,
    send: &Send,
    descriptor: u32,
) -> Result<desc::Message, Reason> {
    let known = desc::decode(kernel.devinfo, send.sfid, descriptor)
        .map_err(|error| Reason::Message(error.to_string()))?;
    if let Desc::Imm(_) = send.desc {
        decoded.message.get_or_init(|| known);
    }
    Ok(known.0)
}

/// Hands a message to its receiver.
fn execute(
    message: &Message,
    request: &desc::Message,
    thread: &mut Thread,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    match request {
        desc::Message::Sampler(request) => sampler::execute(message, request, host),
        desc::Message::Urb(request) => urb::execute(message, request, host),
        desc::Message::RenderTarget(request) => {
            render::execute(message, request, thread.dispatch, host)
        }
        desc::Message::DataPort(request) => dataport::execute(message, request, host),
        desc::Message::Scratch(request) => dataport::scratch(message, request, host),
        desc::Message::Gateway(request) => gateway(message, request.function, thread, host),
        // Dereferencing the thread's resources has no effect to model.
        desc::Message::Spawner(request) if !request.spawn => Ok(Vec::new()),
        desc::Message::Spawner(_) => Err(Reason::NotModeled("spawning threads".into())),
        desc::Message::PixelInterpolator(request) => interpolator::execute(message, request, host),
        desc::Message::Media(request) => {
            Err(Reason::NotModeled(format!("messages to {}", request.receiver.text())))
        }
    }
}

fn descriptor(registers: &Registers, desc: Desc) -> Result<u32, Reason> {
    match desc {
        Desc::Imm(bits) => Ok(bits),
        Desc::Indirect { subreg } => address_dword(registers, subreg),
    }
}

/// Dword `subreg` of a0.
fn address_dword(registers: &Registers, subreg: u8) -> Result<u32, Reason> {
    match registers.address.chunks_exact(2).nth(subreg.into()) {
        Some(&[low, high]) => Ok(u32::from(low) | u32::from(high) << 16),
        _ => Err(Reason::Message(format!("a0 has no dword {subreg} for the descriptor"))),
    }
}

/// Appends the registers of a part of the message: its source, and their number.
fn gather(
    registers: &Registers,
    inst: &Inst,
    (source, length): (usize, usize),
    payload: &mut Payload,
) -> Result<(), Reason> {
    let operand = &inst.src[source];
    if operand.file != RegFile::Grf || operand.is_indirect() {
        return Err(Reason::Message("the payload is not in general registers".into()));
    }
    let first = usize::from(operand.nr);
    if first + length > GRF_COUNT {
        return Err(Reason::Message(format!("{length} payload registers from r{first} on")));
    }
    let start = payload.len();
    payload.resize(start + length, [0; 8]);
    let bytes = registers.grf.get(first * REG_SIZE..(first + length) * REG_SIZE).unwrap_or(&[]);
    let to = payload.get_mut(start..).unwrap_or_default().as_flattened_mut();
    for (to, from) in to.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *to = u32::from_le_bytes(*from);
    }
    Ok(())
}

/// Bits of the words of a dword.
const WORDS: [u32; 4] = [0, 0xffff, 0xffff_0000, u32::MAX];

/// Writes the response. Registers the function did not fill become garbage, so that a wrong length
/// shows.
fn deliver(
    quirks: &Quirks,
    thread: &mut Thread,
    inst: &Inst,
    message: &Message,
    length: usize,
    answer: Response,
) -> Result<(), Reason> {
    if inst.dst.file != RegFile::Grf {
        return Ok(());
    }
    let first = usize::from(inst.dst.nr);
    if first + message.response > GRF_COUNT {
        return Err(Reason::Message(format!(
            "{} response registers from r{first} on",
            message.response
        )));
    }
    let start = usize::from(inst.src[0].nr);
    let overlaps = first < start + length && start < first + message.response;
    let broken = quirks.gen8_r127 && first + message.response == GRF_COUNT && overlaps;
    for index in 0..message.response {
        if let Some((values, WHOLE)) = answer.get(index)
            && !broken
        {
            thread.regs.set_register(first + index, values);
            continue;
        }
        let mut register = thread.regs.register(first + index);
        for (lane, dword) in register.iter_mut().enumerate() {
            match answer.get(index) {
                Some((values, written)) if !broken => {
                    let bits = WORDS[usize::from(written >> (2 * lane) & 3)];
                    *dword = *dword & !bits | values[lane] & bits;
                }
                _ => {
                    *dword =
                        thread.regs.garbage.get((0x9000 + first + index * 8 + lane) as u64) as u32
                }
            }
        }
        thread.regs.set_register(first + index, &register);
    }
    Ok(())
}

/// Message gateway: barriers, and the time stamp.
fn gateway(
    message: &Message,
    function: GatewayFn,
    thread: &mut Thread,
    host: &mut dyn Host,
) -> Result<Response, Reason> {
    match function {
        // No other message depends on these here.
        GatewayFn::Open | GatewayFn::Close => Ok(Vec::new()),
        GatewayFn::Barrier => {
            host.barrier(&message.register(0)?)?;
            thread.barrier = true;
            Ok(Vec::new())
        }
        GatewayFn::Timestamp => {
            let time = host.time();
            Ok(vec![([time as u32, (time >> 32) as u32, 0, 0, 0, 0, 0, 0], WHOLE)])
        }
        other => Err(Reason::NotModeled(format!("gateway function {}", other.text()))),
    }
}
