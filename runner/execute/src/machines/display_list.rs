//! Display lists (one at a time, recorded as positions of script lines) and the subroutine
//! selections of a script, which draws carry into lists.

use script::{Command, Stage};

/// The selections made with `subuniform`: the last one for each subroutine uniform.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Selections<'a>(Vec<(Stage, &'a str, &'a str)>);

impl<'a> Selections<'a> {
    /// Selects a function.
    pub(crate) fn select(&mut self, stage: Stage, uniform: &'a str, function: &'a str) {
        match self.0.iter_mut().find(|entry| (entry.0, entry.1) == (stage, uniform)) {
            Some(entry) => entry.2 = function,
            None => self.0.push((stage, uniform, function)),
        }
    }

    /// Iterates over stage, uniform and function.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Stage, &'a str, &'a str)> {
        self.0.iter()
    }
}

/// A recorded line.
#[derive(Clone, Debug)]
pub(super) struct Recorded<'a> {
    /// Index of the script line.
    pub line: usize,
    /// The selections at the time of recording.
    pub selections: Selections<'a>,
}

/// The display list of a script and its recording state.
#[derive(Debug, Default)]
pub(super) struct DisplayList<'a> {
    lines: Vec<Recorded<'a>>,
    /// The list is being compiled; `true` means that commands are executed, too.
    open: Option<bool>,
}

impl<'a> DisplayList<'a> {
    /// `glNewList`: replaces the contents of the list.
    pub(crate) fn begin(&mut self, execute: bool) {
        self.lines.clear();
        self.open = Some(execute);
    }

    /// `glEndList`.
    pub(crate) fn end(&mut self) {
        self.open = None;
    }

    /// `glDeleteLists`.
    pub(crate) fn delete(&mut self) {
        self.lines.clear();
    }

    /// Returns true if a command is recorded into the open list. Commands that read back, query or
    /// create objects are executed at once (OpenGL 4.6 compatibility profile, section 21.4).
    pub(crate) fn records(&self, command: &Command<'_>) -> bool {
        self.open.is_some() && is_recordable(command)
    }

    /// Records a line.
    pub(crate) fn add(&mut self, line: usize, selections: &Selections<'a>) {
        self.lines.push(Recorded { line, selections: selections.clone() });
    }

    /// Returns true if recorded commands are executed, too.
    pub(crate) fn executes(&self) -> bool {
        self.open == Some(true)
    }

    /// Returns the recorded lines.
    pub(crate) fn lines(&self) -> &[Recorded<'a>] {
        &self.lines
    }
}

/// Returns true if a command is recorded into lists. A new command does not compile until it is in
/// one of the two groups.
fn is_recordable(command: &Command<'_>) -> bool {
    match command {
        Command::ClearColor(_)
        | Command::ClearDepth(_)
        | Command::Clear
        | Command::State(_)
        | Command::DrawRect(_)
        | Command::DrawArrays(_)
        | Command::MultiDrawArrays(_)
        | Command::DrawElements(_)
        | Command::Uniform(_)
        | Command::CallList => true,
        Command::Compute { .. }
        | Command::BlockArrayIndex(_)
        | Command::BlockBinding(_)
        | Command::BlockOffset(_)
        | Command::BlockMatrixStride(_)
        | Command::BlockRowMajor(_)
        | Command::Buffer(_)
        | Command::Texture(_)
        | Command::Framebuffer(_)
        | Command::Probe(_)
        | Command::LinkSuccess
        | Command::LinkError
        | Command::ProgramBinarySaveRestore
        | Command::Query(_)
        | Command::NewList(_)
        | Command::EndList
        | Command::DeleteList
        | Command::Subuniform { .. }
        | Command::VertexAttribHandle { .. }
        | Command::ActiveShaderProgram(_) => false,
    }
}
