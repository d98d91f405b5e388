//! The lines in which a program reports its result, and piglit's rules for their meaning.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::state::State;

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself, with an exit code.
    Exit(i32),
    /// A signal ended it.
    Signal,
    /// It was ended for its time.
    Time,
}

/// Images of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Description, such as the name of a frame.
    pub description: String,
    /// File of the expected image.
    pub reference: Option<String>,
    /// File of the image that was drawn.
    pub drawn: Option<String>,
}

/// The reported lines of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    state: Option<State>,
    subtests: Vec<(String, State)>,
    /// Positions of the subtests by name.
    positions: BTreeMap<String, usize>,
    images: Vec<Image>,
    problem: Option<String>,
}

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// State of the test.
    pub state: State,
    /// Names and states of its parts, in the order in which the program named them.
    pub subtests: Vec<(String, State)>,
    /// Images that it names.
    pub images: Vec<Image>,
    /// The first line that says nothing.
    pub problem: Option<String>,
}

/// Maximum number of subtests of a test, and of images.
const MOST: usize = 100_000;

impl Report {
    /// Takes a line that begins with `PIGLIT:`, without that beginning.
    pub fn line(&mut self, text: &str) {
        if let Err(problem) = self.take(text) {
            self.problem.get_or_insert(problem);
        }
    }

    fn take(&mut self, text: &str) -> Result<(), String> {
        let object: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| format!("{error}: {}", excerpt(text)))?;
        if let Some(names) = object.get("enumerate subtests") {
            let names = names.as_array().ok_or_else(|| no_list("enumerate subtests"))?;
            for name in names {
                let name = name.as_str().ok_or_else(|| no_list("enumerate subtests"))?;
                self.subtest(name, State::NotRun)?;
            }
        } else if let Some(result) = object.get("result") {
            self.state = Some(state(result)?);
            self.images = object.get("images").map(images).unwrap_or_default();
        } else if let Some(parts) = object.get("subtest") {
            let parts = parts.as_object().ok_or("`subtest` is no object")?;
            for (name, result) in parts {
                self.subtest(name, state(result)?)?;
            }
        }
        Ok(())
    }

    fn subtest(&mut self, name: &str, state: State) -> Result<(), String> {
        let name = name.to_lowercase();
        if let Some(&position) = self.positions.get(&name) {
            self.subtests[position].1 = state;
            return Ok(());
        }
        if self.subtests.len() == MOST {
            return Err(format!("more than {MOST} subtests"));
        }
        self.positions.insert(name.clone(), self.subtests.len());
        self.subtests.push((name, state));
        Ok(())
    }

    /// Returns the result of a program that ended in some way.
    ///
    /// The worst subtest decides about a test with subtests, unless the program was ended. An exit
    /// code other than 0 makes a pass a warning, and everything else a failure. A program is ended
    /// in the first subtest without a result.
    pub fn conclude(self, ending: Ending) -> Conclusion {
        let Report { state, mut subtests, images, problem, .. } = self;
        let mut raw = state.unwrap_or(State::NotRun);
        if raw == State::Skip {
            change(&mut subtests, usize::MAX, State::Skip);
        }
        let worst = State::worst(subtests.iter().map(|(_, state)| *state));
        match ending {
            Ending::Signal | Ending::Time => {
                raw = if ending == Ending::Time { State::Timeout } else { State::Crash };
                change(&mut subtests, 1, raw);
            }
            _ if problem.is_some() => raw = State::Fail,
            Ending::Exit(0) => {}
            Ending::Exit(_) => {
                let so_far = if raw == State::Crash { raw } else { worst.unwrap_or(raw) };
                raw = if so_far == State::Pass { State::Warn } else { State::Fail };
            }
        }
        let is_raw = problem.is_some() || matches!(raw, State::Crash | State::Timeout);
        let worst = worst.filter(|_| !is_raw);
        Conclusion { state: worst.unwrap_or(raw), subtests, images, problem }
    }
}

/// Changes the state of the first subtests without a result, at most `count`.
fn change(subtests: &mut [(String, State)], count: usize, to: State) {
    let open = subtests.iter_mut().filter(|(_, state)| *state == State::NotRun);
    open.take(count).for_each(|(_, state)| *state = to);
}

fn state(value: &Value) -> Result<State, String> {
    let name = value.as_str().ok_or_else(|| format!("a result is no word: {value}"))?;
    State::from_name(name).ok_or_else(|| format!("unknown result `{}`", excerpt(name)))
}

fn no_list(name: &str) -> String {
    format!("`{name}` is no list of names")
}

/// Reads the images of a result, which are for people only: others are left out.
fn images(value: &Value) -> Vec<Image> {
    let image = |value: &Value| {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Image {
            description: text("image_desc")?,
            reference: text("image_ref").filter(|file| !file.is_empty()),
            drawn: text("image_render").filter(|file| !file.is_empty()),
        })
    };
    value.as_array().into_iter().flatten().filter_map(image).take(MOST).collect()
}

/// Returns the beginning of a text.
fn excerpt(text: &str) -> String {
    const LENGTH: usize = 80;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", text[..end].trim()),
        None => text.trim().to_owned(),
    }
}
