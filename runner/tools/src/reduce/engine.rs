//! The reduction engine: tries edits in a fixed order, several at a time.

use std::collections::HashSet;

use super::{Edit, Level, Plan, Syntax, apply};
use vk_script::without;

/// A judge of candidate texts.
pub trait Judge {
    /// Judges texts in their order; true means interesting.
    ///
    /// # Errors
    /// Returns [`Stopped`] if no more texts may be judged.
    fn judge(&mut self, texts: Vec<String>) -> Result<Vec<bool>, Stopped>;
}

/// Reasons for an early end of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The user interrupted it.
    Interrupted,
    /// The maximum number of texts was judged.
    Steps,
}

/// Progress of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The level that made the text smaller.
    pub level: Level,
    /// Number of texts judged so far.
    pub steps: u64,
    /// The smallest interesting text.
    pub best: &'a str,
}

/// Reducer of one text.
///
/// The result depends only on the text and the judge's answers: texts are judged in one order, and
/// of several that are judged at a time, those behind the first interesting one are ignored.
pub struct Reducer<'a> {
    judge: &'a mut dyn Judge,
    syntax: Syntax,
    best: String,
    /// Number of texts judged at a time.
    batch: usize,
    steps: u64,
    most: u64,
    /// Hashes of uninteresting texts.
    refused: HashSet<[u8; 32]>,
}

impl<'a> Reducer<'a> {
    /// Returns a reducer of an interesting text; at most `most` others are judged, `batch` at a
    /// time.
    pub fn new(
        (text, syntax): (String, Syntax),
        judge: &'a mut dyn Judge,
        most: u64,
        batch: usize,
    ) -> Reducer<'a> {
        let (batch, refused) = (batch.max(1), HashSet::new());
        Reducer { judge, syntax, best: text, batch, steps: 0, most, refused }
    }

    /// Returns the smallest interesting text so far.
    pub fn best(&self) -> &str {
        &self.best
    }

    /// Returns the number of texts judged so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Shrinks the text until no level can. The last one, which tries most and shrinks least, has
    /// its turn where no other can.
    ///
    /// # Errors
    /// Returns the reason of an early end; [`Reducer::best`] is valid nevertheless.
    pub fn run(&mut self, mut report: impl FnMut(Progress<'_>)) -> Result<(), Stopped> {
        let levels = Level::of(self.syntax);
        let (others, last) = levels.split_at(levels.len().saturating_sub(1));
        loop {
            let round = self.best.clone();
            self.levels(others, &mut report)?;
            if self.best == round {
                self.levels(last, &mut report)?;
            }
            if self.best == round {
                return Ok(());
            }
        }
    }

    fn levels(
        &mut self,
        levels: &[Level],
        report: &mut impl FnMut(Progress<'_>),
    ) -> Result<(), Stopped> {
        for &level in levels {
            let before = self.best.len();
            let outcome = self.level(level);
            if self.best.len() < before {
                report(Progress { level, steps: self.steps, best: &self.best });
            }
            outcome?;
        }
        Ok(())
    }

    fn level(&mut self, level: Level) -> Result<(), Stopped> {
        let base = self.best.clone();
        match level.plan(&base, self.syntax) {
            Plan::Together(edits, largest) => {
                self.together(edits.len(), largest, |made| apply(&base, chosen(&edits, made)))
            }
            Plan::Removals(removals) => self.together(removals.len(), usize::MAX, |made| {
                without(&base, chosen(&removals, made))
            }),
            Plan::OneByOne(edits) => self.one_by_one(level, edits),
        }
    }

    /// Delta debugging: all of `count` edits at once, then halves of them, and so on to single
    /// ones; from the end of the text, since later parts depend on earlier ones. `text` returns the
    /// text in which the edits are made for which it is given true.
    fn together(
        &mut self,
        count: usize,
        largest: usize,
        text: impl Fn(&[bool]) -> String,
    ) -> Result<(), Stopped> {
        // Accepted edits, and those that are still undecided.
        let (mut made, mut open): (Vec<bool>, Vec<usize>) =
            (vec![false; count], (0..count).collect());
        let mut size = open.len().min(largest);
        while size > 0 {
            let mut end = open.len();
            while end > 0 {
                let chunk = |k: usize| end.saturating_sub((k + 1) * size)..end - k * size;
                let count = end.div_ceil(size).min(self.batch);
                let with = |k: usize| {
                    let mut made = made.clone();
                    open[chunk(k)].iter().for_each(|&edit| made[edit] = true);
                    text(&made)
                };
                match self.first((0..count).map(with).collect())? {
                    Some(k) => {
                        let chunk = chunk(k);
                        open.drain(chunk.clone()).for_each(|edit| made[edit] = true);
                        end = chunk.start;
                    }
                    None => end = end.saturating_sub(count * size),
                }
            }
            size = (size / 2).min(open.len());
        }
        Ok(())
    }

    /// Tries each edit alone. An accepted edit changes the list: the search continues with the
    /// first edit behind its start.
    fn one_by_one(&mut self, level: Level, mut edits: Vec<Edit>) -> Result<(), Stopped> {
        let mut next = 0;
        while next < edits.len() {
            let end = edits.len().min(next + self.batch);
            let texts = edits[next..end].iter().map(|edit| apply(&self.best, [edit])).collect();
            let Some(k) = self.first(texts)? else {
                next = end;
                continue;
            };
            let place = edits[next + k].range.start;
            let Plan::OneByOne(again) = level.plan(&self.best, self.syntax) else { return Ok(()) };
            edits = again;
            next = edits.partition_point(|edit| edit.range.start < place);
        }
        Ok(())
    }

    /// Accepts the first interesting text and returns its index.
    fn first(&mut self, texts: Vec<String>) -> Result<Option<usize>, Stopped> {
        let hash = |text: &str| *blake3::hash(text.as_bytes()).as_bytes();
        let is_new =
            |text: &str| is_smaller(text, &self.best) && !self.refused.contains(&hash(text));
        let new: Vec<usize> = (0..texts.len()).filter(|&k| is_new(&texts[k])).collect();
        let left = usize::try_from(self.most - self.steps).unwrap_or(usize::MAX);
        let allowed = &new[..new.len().min(left)];
        if allowed.is_empty() {
            return if new.is_empty() { Ok(None) } else { Err(Stopped::Steps) };
        }
        let answers = self.judge.judge(allowed.iter().map(|&k| texts[k].clone()).collect())?;
        for (&k, interesting) in allowed.iter().zip(answers) {
            self.steps += 1;
            if interesting {
                self.best.clone_from(&texts[k]);
                return Ok(Some(k));
            }
            self.refused.insert(hash(&texts[k]));
        }
        if allowed.len() < new.len() { Err(Stopped::Steps) } else { Ok(None) }
    }
}

/// True if a text is shorter than another, or as long and before it in the order of texts, in which
/// lower digits come first.
fn is_smaller(text: &str, than: &str) -> bool {
    (text.len(), text) < (than.len(), than)
}

/// Returns the edits that are made.
fn chosen<'e, E>(edits: &'e [E], made: &'e [bool]) -> impl Iterator<Item = &'e E> {
    edits.iter().zip(made).filter(|(_, made)| **made).map(|(edit, _)| edit)
}
