//! Display lists: one at a time, recorded as positions of script lines.

use script::Command;

/// The display list of a script, and whether it is being compiled.
#[derive(Debug, Default)]
pub(super) struct DisplayList {
    lines: Vec<usize>,
    /// Being compiled; `true` also executes.
    open: Option<bool>,
}

impl DisplayList {
    /// `glNewList`: what the list held is replaced.
    pub fn begin(&mut self, execute: bool) {
        self.lines.clear();
        self.open = Some(execute);
    }

    /// `glEndList`.
    pub fn end(&mut self) {
        self.open = None;
    }

    /// `glDeleteLists`.
    pub fn delete(&mut self) {
        self.lines.clear();
    }

    /// Whether a command goes into the list that is open. What reads back, asks or creates objects is executed at once
    /// (OpenGL 4.6 compatibility profile, section 21.4).
    pub fn records(&self, command: &Command<'_>) -> bool {
        self.open.is_some()
            && matches!(
                command,
                Command::ClearColor(_)
                    | Command::ClearDepth(_)
                    | Command::Clear
                    | Command::State(_)
                    | Command::DrawRect(_)
                    | Command::DrawArrays(_)
                    | Command::Uniform(_)
                    | Command::CallList
            )
    }

    /// Records a line.
    pub fn add(&mut self, index: usize) {
        self.lines.push(index);
    }

    /// Whether recorded commands are executed too.
    pub fn executes(&self) -> bool {
        self.open == Some(true)
    }

    /// The recorded lines.
    pub fn lines(&self) -> &[usize] {
        &self.lines
    }
}
