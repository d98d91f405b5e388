//! Transcript of the reference executor: its answers to the commands of a test, in order.

use std::any::Any;
use std::sync::Arc;

use gl_machine::probe::ProbeResult;
use raster::resources::BufferId;
use raster::surface::Pixels;

use results::verdict::{Phase, Verdict};

/// Maximum size of the answers of a transcript in bytes. Longer ones are not kept.
const MAX_BYTES: usize = 4 << 20;

/// An answer of an executor.
pub(crate) trait Recorded: Clone + Send + Sync + 'static {
    /// Returns the approximate size in bytes.
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

impl Recorded for () {}
impl Recorded for bool {}
impl Recorded for u64 {}
impl Recorded for [u32; 2] {}
impl Recorded for BufferId {}

impl Recorded for ProbeResult {
    fn bytes(&self) -> usize {
        let texels = match &self.readback.pixels {
            Pixels::Constant(_) => 1,
            Pixels::Varying(texels) => texels.len(),
        };
        size_of::<Self>() + texels * 16 + self.readback.undefined.len() * 4
    }
}

/// One answer: the line of its command, and the value.
#[derive(Debug)]
struct Answer {
    line: u32,
    value: Box<dyn Any + Send + Sync>,
}

/// The answers of the reference executor to a whole test.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    answers: Vec<Answer>,
    bytes: usize,
}

/// Origin of the reference executor's answers.
#[derive(Debug, Default)]
pub(crate) enum ReferenceRecord {
    /// It executes, or there is none.
    #[default]
    Absent,
    /// It executes, and its answers are recorded.
    Recording(Transcript),
    /// It has executed the whole test.
    Recorded(Transcript),
    /// It does not execute: its answers come from a transcript, of which `next` is the next one.
    Replaying { transcript: Arc<Transcript>, next: usize },
    /// The test asks for other answers than the transcript has.
    Diverged,
}

impl ReferenceRecord {
    /// Completes the answers of all executors to a command in `line`: records that of the
    /// reference, or adds it.
    ///
    /// # Errors
    /// Fails if the transcript has another answer at this place. The verdict means nothing.
    pub(crate) fn complete<T: Recorded>(
        &mut self,
        line: u32,
        answers: &mut Vec<T>,
    ) -> Result<(), Verdict> {
        match self {
            ReferenceRecord::Absent | ReferenceRecord::Recorded(_) => {}
            ReferenceRecord::Recording(transcript) => match answers.get(1) {
                Some(answer) if transcript.bytes < MAX_BYTES => {
                    transcript.bytes += answer.bytes();
                    transcript.answers.push(Answer { line, value: Box::new(answer.clone()) });
                }
                _ => *self = ReferenceRecord::Absent,
            },
            ReferenceRecord::Replaying { transcript, next } => {
                let answer = transcript.answers.get(*next).filter(|answer| answer.line == line);
                match answer.and_then(|answer| answer.value.downcast_ref::<T>()) {
                    Some(value) => {
                        *next += 1;
                        answers.push(value.clone());
                    }
                    None => *self = ReferenceRecord::Diverged,
                }
            }
            ReferenceRecord::Diverged => {}
        }
        match self {
            ReferenceRecord::Diverged => Err(diverged()),
            _ => Ok(()),
        }
    }

    /// Ends the test after its last command: a transcript must have no further answers.
    ///
    /// # Errors
    /// Fails if it has. The verdict means nothing.
    pub(crate) fn end(&mut self) -> Result<(), Verdict> {
        match self {
            ReferenceRecord::Recording(transcript) => {
                *self = ReferenceRecord::Recorded(std::mem::take(transcript));
                Ok(())
            }
            ReferenceRecord::Replaying { transcript, next } if *next < transcript.answers.len() => {
                *self = ReferenceRecord::Diverged;
                Err(diverged())
            }
            ReferenceRecord::Diverged => Err(diverged()),
            _ => Ok(()),
        }
    }
}

/// Executes a test with the answers of a transcript; `None` if they do not fit.
///
/// # Errors
/// Returns the error of `execute`.
pub(crate) fn replay<E>(
    transcript: Arc<Transcript>,
    execute: impl FnOnce(ReferenceRecord) -> Result<(Verdict, ReferenceRecord), E>,
) -> Result<Option<Verdict>, E> {
    tracing::debug!("replay the reference");
    let (verdict, end) = execute(ReferenceRecord::Replaying { transcript, next: 0 })?;
    Ok((!matches!(end, ReferenceRecord::Diverged)).then_some(verdict))
}

/// Executes a test; returns the answers of the reference, too, if it has executed the whole test.
///
/// # Errors
/// Returns the error of `execute`.
pub(crate) fn record<E>(
    execute: impl FnOnce(ReferenceRecord) -> Result<(Verdict, ReferenceRecord), E>,
) -> Result<(Verdict, Option<Transcript>), E> {
    let (verdict, end) = execute(ReferenceRecord::Recording(Transcript::default()))?;
    let transcript = match end {
        ReferenceRecord::Recorded(transcript) => Some(transcript),
        _ => None,
    };
    Ok((verdict, transcript))
}

fn diverged() -> Verdict {
    Verdict::fail(Phase::Simulate, "the transcript of the reference does not fit")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded() -> Transcript {
        let mut record = ReferenceRecord::Recording(Transcript::default());
        record.complete(3, &mut vec![true, false]).unwrap();
        record.complete(4, &mut vec![7u64, 8]).unwrap();
        record.end().unwrap();
        match record {
            ReferenceRecord::Recorded(transcript) => transcript,
            _ => panic!("it has recorded"),
        }
    }

    fn replaying() -> ReferenceRecord {
        ReferenceRecord::Replaying { transcript: Arc::new(recorded()), next: 0 }
    }

    #[test]
    fn answers_return_in_order() {
        let mut record = replaying();
        let (mut flags, mut numbers) = (vec![true], vec![9u64]);
        record.complete(3, &mut flags).unwrap();
        record.complete(4, &mut numbers).unwrap();
        assert_eq!((flags, numbers), (vec![true, false], vec![9, 8]));
        record.end().unwrap();
    }

    #[test]
    fn other_questions_diverge() {
        let mut other_line = replaying();
        assert!(other_line.complete(4, &mut vec![true]).is_err());
        assert!(other_line.end().is_err(), "it stays so");
        let mut other_type = replaying();
        assert!(other_type.complete(3, &mut vec![1u64]).is_err());
        let mut early_end = replaying();
        early_end.complete(3, &mut vec![true]).unwrap();
        assert!(early_end.end().is_err());
        let mut late_end = replaying();
        late_end.complete(3, &mut vec![true]).unwrap();
        late_end.complete(4, &mut vec![1u64]).unwrap();
        assert!(late_end.complete(5, &mut vec![true]).is_err());
    }

    #[test]
    fn long_transcripts_are_not_kept() {
        let mut record =
            ReferenceRecord::Recording(Transcript { answers: Vec::new(), bytes: MAX_BYTES });
        record.complete(3, &mut vec![true, false]).unwrap();
        assert!(matches!(record, ReferenceRecord::Absent));
    }
}
