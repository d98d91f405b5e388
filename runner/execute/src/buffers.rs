//! Atomic counters, storage buffers, transform feedback, and the probes of their contents.

use script::{AtomicPosition, BufferCommand, Comparison, Probe, SsboValue};
use softgl::machine::draw::DrawCall;
use softgl::machine::state::Capability;
use softgl::machine::{Machine, MachineError};
use softgl::resources::BufferId;

use super::session::{Flow, Session};
use super::ulps::{f32_ulps, f64_ulps};
use results::verdict::Phase;

/// Creates and fills buffers on every executor.
pub(super) fn execute(session: &mut Session<'_>, command: &BufferCommand) -> Flow {
    match *command {
        BufferCommand::AtomicCounters { buffer, count } => session.executors.change(|machine| {
            machine.create_atomic_buffer(buffer, count as usize);
        }),
        BufferCommand::SetAtomicCounter { buffer, counter, value } => {
            session.executors.change(|machine| {
                if let Some(id) = machine.atomic_buffer(buffer) {
                    machine.write_buffer(id, counter as usize * 4, &value.to_le_bytes());
                }
            })
        }
        BufferCommand::Ssbo { buffer, size } => session.executors.change(|machine| {
            machine.create_storage_buffer(buffer, size as usize);
        }),
        BufferCommand::SsboSubdata { buffer, offset, data } => {
            session.executors.change(|machine| {
                if let Some(id) = machine.storage_buffer(buffer) {
                    machine.write_buffer(id, offset as usize, &bytes_of(data));
                }
            })
        }
        BufferCommand::Feedback { buffer, size } => {
            let ids: Vec<BufferId> =
                session.executors.each(|machine, _| Ok(machine.create_buffer(size as usize)))?;
            if let (Some(slot), Some(&id)) =
                (session.feedback.buffers.get_mut(buffer as usize), ids.first())
            {
                *slot = Some(id);
            }
        }
    }
    Ok(())
}

/// Returns a value's bytes in memory.
fn bytes_of(value: SsboValue) -> Vec<u8> {
    match value {
        SsboValue::Uint(v) => v.to_le_bytes().to_vec(),
        SsboValue::Uint64(v) => v.to_le_bytes().to_vec(),
        SsboValue::Int(v) => v.to_le_bytes().to_vec(),
        SsboValue::Int64(v) => v.to_le_bytes().to_vec(),
        SsboValue::Float(v) => v.to_le_bytes().to_vec(),
        SsboValue::Double(v) => v.to_le_bytes().to_vec(),
    }
}

/// Executes `xfb draw arrays`: captures with rasterization off and keeps the counts.
pub(super) fn capture(session: &mut Session<'_>, call: &DrawCall) -> Flow {
    let buffers = session.feedback.buffers;
    let counts = session.executors.each(|machine, device| {
        machine.begin_feedback(buffers);
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
    Ok(())
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
            let size = bytes_of(value).len();
            let words =
                read(session, size, |machine| (machine.storage_buffer(buffer), offset as usize))?;
            // A side effect of the probe in piglit.
            session.executors.change(|machine| {
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
            let size = bytes_of(value).len();
            let id = session.feedback.buffers.get(buffer as usize).copied().flatten();
            let words = read(session, size, |_| (id, index as usize * size))?;
            let near = Some(f64::from(session.tolerance[0]));
            let condition = Condition { comparison: Comparison::Equal, value, near };
            judge(session, &words, &format!("xfb buffer {buffer}[{index}]"), &condition);
            Ok(())
        }
    }
}

/// A required value; with `near`, floating-point values must be closer than that.
struct Condition {
    comparison: Comparison,
    value: SsboValue,
    near: Option<f64>,
}

impl Condition {
    fn holds(&self, bits: u64) -> bool {
        let close = |observed: f64, value: f64| {
            self.near.map_or_else(
                || self.comparison.holds(observed, value),
                |near| (observed - value).abs() < near,
            )
        };
        match self.value {
            SsboValue::Uint(v) => self.comparison.holds(bits as u32, v),
            SsboValue::Uint64(v) => self.comparison.holds(bits, v),
            SsboValue::Int(v) => self.comparison.holds(bits as i32, v),
            SsboValue::Int64(v) => self.comparison.holds(bits as i64, v),
            SsboValue::Float(v) => close(f64::from(f32::from_bits(bits as u32)), f64::from(v)),
            SsboValue::Double(v) => close(f64::from_bits(bits), v),
        }
    }

    fn show(&self, bits: u64) -> String {
        match self.value {
            SsboValue::Uint(_) => (bits as u32).to_string(),
            SsboValue::Uint64(_) => bits.to_string(),
            SsboValue::Int(_) => (bits as i32).to_string(),
            SsboValue::Int64(_) => (bits as i64).to_string(),
            SsboValue::Float(_) => {
                format!("{:?} ({:#010x})", f32::from_bits(bits as u32), bits as u32)
            }
            SsboValue::Double(_) => format!("{:?} ({bits:#018x})", f64::from_bits(bits)),
        }
    }

    /// Returns `, 3 ULP apart` for floating-point values.
    fn distance(&self, bits: u64) -> String {
        let ulps = match self.value {
            SsboValue::Float(v) => f32_ulps(f32::from_bits(bits as u32), v),
            SsboValue::Double(v) => f64_ulps(f64::from_bits(bits), v),
            SsboValue::Uint(_) | SsboValue::Uint64(_) | SsboValue::Int(_) | SsboValue::Int64(_) => {
                None
            }
        };
        ulps.map(|ulps| format!(", {ulps} ULP apart")).unwrap_or_default()
    }

    fn wanted(&self) -> String {
        let bits =
            bytes_of(self.value).iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        format!("{} {}", self.comparison.text(), self.show(bits))
    }
}

/// Reads a little-endian value of `size` bytes on every executor.
fn read(
    session: &mut Session<'_>,
    size: usize,
    place: impl Fn(&Machine) -> (Option<BufferId>, usize),
) -> Flow<Vec<u64>> {
    let values = session.executors.each(|machine, device| {
        // Deferred fragments may write the memory that is read.
        machine.finish(device)?;
        let (buffer, offset) = place(machine);
        let missing = MachineError::NothingToRead("there is no such buffer, or it is too small");
        let bytes = buffer.and_then(|id| machine.buffer(id).get(offset..offset.checked_add(size)?));
        let bytes = bytes.ok_or(missing)?;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    })?;
    session.executors.check_agreement()?;
    Ok(values)
}

/// Compares the executors' values with the expectation and with each other.
fn judge(session: &mut Session<'_>, values: &[u64], what: &str, condition: &Condition) {
    let undefined = session.executors.undefined_memory();
    let Some((&first, rest)) = values.split_first() else { return };
    let passes = condition.holds(first);
    let text = || {
        let (shown, wanted) = (condition.show(first), condition.wanted());
        format!("{what} test failed: {shown} {wanted}{}", condition.distance(first))
    };
    let bad = match rest.first().filter(|_| !undefined) {
        Some(&second) if condition.holds(second) != passes => {
            Some((Phase::Mismatch, format!("{}; reference {}", text(), condition.show(second))))
        }
        Some(&second) if passes && !agree(condition.value, first, second) => {
            let text =
                format!("{what}: {} against {}", condition.show(first), condition.show(second));
            Some((Phase::Mismatch, text))
        }
        _ => (!passes).then(|| (Phase::Probe, text())),
    };
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

    fn condition(comparison: Comparison, value: SsboValue, near: Option<f64>) -> Condition {
        Condition { comparison, value, near }
    }

    #[test]
    fn comparisons() {
        use Comparison as C;
        assert!(condition(C::Equal, SsboValue::Uint(7), None).holds(7));
        assert!(condition(C::Less, SsboValue::Int(-1), None).holds(u64::from(-2i32 as u32)));
        assert!(!condition(C::Less, SsboValue::Uint(1), None).holds(u64::from(u32::MAX)));
        let near = condition(C::Equal, SsboValue::Float(1.0), Some(0.01));
        assert!(near.holds(u64::from(1.005f32.to_bits())));
        assert!(
            !near.holds(u64::from(1.02f32.to_bits())) && !near.holds(u64::from(f32::NAN.to_bits()))
        );
        assert_eq!(near.wanted(), "== 1.0 (0x3f800000)");
        assert_eq!(condition(C::NotEqual, SsboValue::Int(-5), None).wanted(), "!= -5");
    }

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
