//! Rewritings by their texts: `7`, or `7:0-3,9` with the steps to take.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A rewriting: a seed, and the steps to take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewriting {
    pub(crate) seed: u64,
    /// Steps to take; all if there are none.
    steps: Vec<RangeInclusive<u32>>,
}

impl Rewriting {
    /// Returns the rewriting of a seed with all steps.
    pub fn of_seed(seed: u64) -> Rewriting {
        Rewriting { seed, steps: Vec::new() }
    }

    /// True if a step is to be taken.
    pub(crate) fn has(&self, step: u32) -> bool {
        self.steps.is_empty() || self.steps.iter().any(|range| range.contains(&step))
    }
}

/// A text that is no rewriting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no rewriting: a seed as in `7`, or a seed with steps as in `7:0-3,9`")]
pub struct UnknownRewriting(String);

impl FromStr for Rewriting {
    type Err = UnknownRewriting;

    fn from_str(text: &str) -> Result<Rewriting, UnknownRewriting> {
        let read = || {
            let Some((seed, list)) = text.split_once(':') else {
                return Some(Rewriting::of_seed(text.parse().ok()?));
            };
            let steps: Option<Vec<_>> = list.split(',').map(range).collect();
            Some(Rewriting { seed: seed.parse().ok()?, steps: steps? })
        };
        read().ok_or_else(|| UnknownRewriting(text.to_owned()))
    }
}

fn range(text: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some(first..=last)
}

impl fmt::Display for Rewriting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.seed)?;
        for (index, steps) in self.steps.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { ':' } else { ',' }, steps.start())?;
            if steps.start() != steps.end() {
                write!(f, "-{}", steps.end())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        for text in ["7", "7:3", "18446744073709551615:0-3,9"] {
            assert_eq!(text.parse::<Rewriting>().expect(text).to_string(), text);
        }
        for text in ["", "x", "7:", "7:3-1", "7:1,", "-1"] {
            assert!(text.parse::<Rewriting>().is_err(), "{text}");
        }
    }

    #[test]
    fn steps_are_those_of_the_list() {
        let some: Rewriting = "7:1-2,5".parse().expect("a rewriting");
        let taken: Vec<u32> = (0..8).filter(|&step| some.has(step)).collect();
        assert_eq!(taken, [1, 2, 5]);
        assert!((0..8).all(|step| Rewriting::of_seed(7).has(step)));
    }
}
