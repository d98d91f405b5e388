//! Atomic counters, storage buffers, transform feedback, and the probes of their contents.

use gl_machine::machine::state::Capability;
use gl_machine::machine::{Machine, MachineError};
use probes::Condition;
use raster::assemble::PrimitiveMode;
use raster::pipeline::draw_call::DrawCall;
use raster::pipeline::feedback::captured_kind;
use raster::primitive::PrimitiveKind;
use raster::resources::BufferId;
use script::{AtomicPosition, BufferCommand, Comparison, Probe, SsboValue};

use super::explanation::ProbedValues;
use super::session::{Flow, Session};
use results::verdict::{Phase, UNDEFINED};

/// Creates and fills buffers on every executor.
pub(super) fn execute(session: &mut Session<'_>, command: &BufferCommand) -> Flow {
    match *command {
        BufferCommand::AtomicCounters { buffer, count } => session.replicas.change(|machine| {
            machine.create_atomic_buffer(buffer, count as usize);
        }),
        BufferCommand::SetAtomicCounter { buffer, counter, value } => {
            session.replicas.change(|machine| {
                if let Some(id) = machine.atomic_buffer(buffer) {
                    machine.write_buffer(id, counter as usize * 4, &value.to_le_bytes());
                }
            })
        }
        BufferCommand::Ssbo { buffer, size } => session.replicas.change(|machine| {
            machine.create_storage_buffer(buffer, size as usize);
        }),
        BufferCommand::SsboSubdata { buffer, offset, data } => session.replicas.change(|machine| {
            if let Some(id) = machine.storage_buffer(buffer) {
                machine.write_buffer(id, offset as usize, &data.bytes());
            }
        }),
        BufferCommand::Feedback { buffer, size } => {
            let ids: Vec<BufferId> =
                session.replicas.each(|machine, _| Ok(machine.create_buffer(size as usize)))?;
            if let (Some(slot), Some(&id)) =
                (session.feedback.buffers.get_mut(buffer as usize), ids.first())
            {
                *slot = Some(id);
            }
        }
    }
    Ok(())
}

/// Executes `xfb draw arrays`: captures with rasterization off and keeps the counts.
///
/// # Errors
/// The draw makes other primitives than the capture takes, or a buffer is missing.
pub(super) fn capture(session: &mut Session<'_>, call: &DrawCall) -> Flow {
    if !session.needs_program() {
        return Ok(());
    }
    let buffers = session.feedback.buffers;
    let counts = session.replicas.each(|machine, device| {
        machine.begin_feedback(feedback_mode(call.mode), buffers);
        machine.state.set(Capability::RasterizerDiscard, true);
        let result = machine.draw_arrays(call, device);
        machine.state.set(Capability::RasterizerDiscard, false);
        let feedback = machine.end_feedback();
        result.map(|()| feedback.map_or([0; 2], |f| [f.generated, f.written]))
    })?;
    session.feedback.counts = counts.first().copied().unwrap_or([0; 2]);
    if counts.iter().any(|&other| other != session.feedback.counts) {
        session.fail(Phase::Mismatch, format!("primitives generated and written: {counts:?}"));
    }
    session.check_gl_error()
}

/// Returns the kind of primitives that the runner captures in draws of a mode: those that the mode
/// itself makes.
fn feedback_mode(mode: PrimitiveMode) -> PrimitiveKind {
    use PrimitiveMode as M;
    match mode {
        M::LinesAdjacency | M::LineStripAdjacency => PrimitiveKind::Line,
        mode => captured_kind(mode).unwrap_or(PrimitiveKind::Triangle),
    }
}

/// Executes a probe of buffer contents.
pub(super) fn probe(session: &mut Session<'_>, probe: &Probe) -> Flow {
    match *probe {
        Probe::Pixels { .. } => Ok(()),
        Probe::AtomicCounter { buffer, position, comparison, value } => {
            let offset = match position {
                AtomicPosition::Counter(counter) => counter as usize * 4,
                AtomicPosition::Offset(offset) => offset as usize,
            };
            let words = read(session, 4, |machine| (machine.atomic_buffer(buffer), offset))?;
            let what = match position {
                AtomicPosition::Counter(counter) => format!("Atomic counter {counter}"),
                AtomicPosition::Offset(offset) => {
                    format!("Atomic counter buffer {buffer} at {offset}")
                }
            };
            judge(
                session,
                &words,
                &what,
                &Condition { comparison, value: SsboValue::Uint(value), near: None },
            );
            Ok(())
        }
        Probe::Ssbo { buffer, offset, comparison, value } => {
            let size = value.bytes().len();
            let words =
                read(session, size, |machine| (machine.storage_buffer(buffer), offset as usize))?;
            // A side effect of the probe in piglit.
            session.replicas.change(|machine| {
                if let Some(id) = machine.storage_buffer(buffer) {
                    machine.bind_storage_buffer(0, id);
                }
            });
            let near = matches!(comparison, Comparison::Equal).then_some(f64::EPSILON);
            judge(
                session,
                &words,
                &format!("SSBO {offset}"),
                &Condition { comparison, value, near },
            );
            Ok(())
        }
        Probe::Feedback { buffer, index, value } => {
            let size = value.bytes().len();
            let id = session.feedback.buffers.get(buffer as usize).copied().flatten();
            let words = read(session, size, |_| (id, index as usize * size))?;
            let near = Some(f64::from(session.tolerance[0]));
            let condition = Condition { comparison: Comparison::Equal, value, near };
            judge(session, &words, &format!("xfb buffer {buffer}[{index}]"), &condition);
            Ok(())
        }
    }
}

/// Reads a little-endian value of `size` bytes on every executor.
fn read(
    session: &mut Session<'_>,
    size: usize,
    place: impl Fn(&Machine) -> (Option<BufferId>, usize),
) -> Flow<Vec<u64>> {
    let values = session.replicas.each(|machine, device| {
        // Deferred fragments may write the memory that is read.
        machine.finish(device)?;
        let (buffer, offset) = place(machine);
        let missing = MachineError::NothingToRead("there is no such buffer, or it is too small");
        let bytes = buffer.and_then(|id| machine.buffer(id).get(offset..offset.checked_add(size)?));
        let bytes = bytes.ok_or(missing)?;
        Ok(probes::bits_of(bytes))
    })?;
    session.replicas.check_agreement()?;
    Ok(values)
}

/// Compares the executors' values with the expectation and with each other.
fn judge(session: &mut Session<'_>, values: &[u64], what: &str, condition: &Condition) {
    let undefined = session.replicas.undefined_memory();
    let Some((&first, rest)) = values.split_first() else { return };
    if let Some(check) = &mut session.driver {
        let closeness = super::probe::closeness(&session.replicas, undefined);
        check.value(session.replicas.line, condition, first, closeness);
    }
    let passes = condition.holds(first);
    let text = || condition.failure(what, first);
    let bad = match rest.first().filter(|_| !undefined) {
        Some(&second) if condition.holds(second) != passes => {
            Some((Phase::Mismatch, format!("{}; reference {}", text(), condition.show(second))))
        }
        Some(&second) if passes && !agree(condition.value, first, second) => {
            let text =
                format!("{what}: {} against {}", condition.show(first), condition.show(second));
            Some((Phase::Mismatch, text))
        }
        _ if passes => None,
        _ if undefined => Some((Phase::Probe, format!("{}\n  {UNDEFINED}", text()))),
        _ => Some((Phase::Probe, text())),
    };
    session.record_values(|| ProbedValues::Bits(first));
    let observed = || values.iter().map(|&bits| condition.show(bits)).collect();
    session.record_probe(bad.as_ref().map(|bad| bad.0), || condition.wanted(), observed);
    if let Some((phase, text)) = bad {
        session.fail(phase, text);
    }
}

/// Compares integers bit for bit and floats within 16 units in the last place; NaN equals NaN.
fn agree(kind: SsboValue, a: u64, b: u64) -> bool {
    let within = |a: i64, b: i64| a.abs_diff(b) <= 16;
    let ordered = |bits: i64, least: i64| if bits < 0 { least.wrapping_sub(bits) } else { bits };
    match kind {
        _ if a == b => true,
        SsboValue::Float(_) => {
            let nan = f32::from_bits(a as u32).is_nan() && f32::from_bits(b as u32).is_nan();
            let order = |bits: u64| ordered(i64::from(bits as u32 as i32), i64::from(i32::MIN));
            nan || within(order(a), order(b))
        }
        SsboValue::Double(_) => {
            let nan = f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan();
            nan || within(ordered(a as i64, i64::MIN), ordered(b as i64, i64::MIN))
        }
        _ => false,
    }
}

/// Executes `verify query_object`.
pub(super) fn verify_count(session: &mut Session<'_>, object: script::QueryObject, count: u32) {
    let observed = match object {
        script::QueryObject::PrimitivesGenerated => session.feedback.counts[0],
        script::QueryObject::PrimitivesWritten => session.feedback.counts[1],
    };
    if observed != count {
        session.fail(Phase::Probe, format!("{object:?}: expected {count}, got {observed}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement() {
        let f = |v: f32| u64::from(v.to_bits());
        let float = SsboValue::Float(0.0);
        assert!(agree(float, f(1.0), f(1.0) + 16) && !agree(float, f(1.0), f(1.0) + 17));
        assert!(agree(float, f(0.0), f(-0.0)) && agree(float, f(f32::NAN), f(-f32::NAN)));
        assert!(!agree(SsboValue::Int(0), 1, 2));
        let double = SsboValue::Double(0.0);
        assert!(agree(double, 1.0f64.to_bits(), 1.0f64.to_bits() + 16));
        assert!(!agree(double, 1.0f64.to_bits(), (-1.0f64).to_bits()));
    }
}
