//! Reduction of a failing test to a smaller one that fails in the same way: hierarchical delta
//! debugging.
//!
//! [`levels`](Level::of) are ways to shrink a text, from whole commands and sections down to
//! expressions and tokens; each turns a text into [`Plan`]s, lists of [`Edit`]s. The [`engine`]
//! applies as many of them as leave the text interesting, and repeats until no level shrinks the
//! text. A [`Likeness`] defines interesting texts.

mod comments;
mod driver;
mod edit;
mod engine;
mod expressions;
mod likeness;
mod script_edits;
mod shader;
mod statements;
mod syntax;
mod tokens;
mod vertex_data;

pub use driver::{Failure, Reduced, SameFailure};
pub use edit::{Edit, apply};
pub use engine::{Judge, Progress, Reducer, Stopped};
pub use likeness::{Likeness, Wanted};
pub use syntax::Syntax;

use vk_script::{Removal, RemovalLevel};

/// A way to try a list of edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// In chunks of all sizes up to this number: edits are disjoint and in the order of the text.
    Together(Vec<Edit>, usize),
    /// In chunks of all sizes: parts of several ranges, which may overlap.
    Removals(Vec<Removal>),
    /// One at a time; each accepted edit leads to a new list.
    OneByOne(Vec<Edit>),
}

/// A way to shrink a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Parts of a Vulkan script.
    Vulkan(RemovalLevel),
    /// Commands of `[test]`.
    Commands,
    /// Whole sections.
    Sections,
    /// Columns of `[vertex data]`.
    Columns,
    /// Vertices of draws, with their rows.
    Vertices,
    /// Comments and blank lines.
    Comments,
    /// Lines, also in GLSL sections: preprocessor directives and code that the front end refuses.
    Lines,
    /// Global declarations, functions among them.
    Declarations,
    /// Statements at one depth of nesting.
    Statements(usize),
    /// Statements, replaced by their contents: branches, loop bodies, blocks.
    Unwrap,
    /// Members of structures and blocks.
    Members,
    /// Expressions, replaced by their operands or a literal.
    Expressions,
    /// Contents of brackets, list items, initializers.
    Groups,
    /// Tokens.
    Tokens,
}

impl Level {
    /// Returns the ways to shrink texts of a format, from the coarsest to the finest.
    #[must_use]
    pub fn of(syntax: Syntax) -> &'static [Level] {
        match syntax {
            Syntax::ShaderTest => &SHADER_TEST,
            Syntax::Vulkan(_) => &VULKAN,
        }
    }

    /// Returns the name of the removed parts.
    pub fn name(self) -> &'static str {
        match self {
            Level::Vulkan(level) => syntax::name(level),
            Level::Commands => "commands",
            Level::Sections => "sections",
            Level::Columns => "columns",
            Level::Vertices => "vertices",
            Level::Comments => "comments",
            Level::Lines => "lines",
            Level::Declarations => "declarations",
            Level::Statements(_) => "statements",
            Level::Unwrap => "nesting",
            Level::Members => "members",
            Level::Expressions => "expressions",
            Level::Groups => "groups",
            Level::Tokens => "tokens",
        }
    }

    /// Returns the edits to try on a text.
    pub fn plan(self, text: &str, syntax: Syntax) -> Plan {
        let all = usize::MAX;
        let shaders = || syntax.shaders(text);
        match self {
            Level::Vulkan(level) => Plan::Removals(syntax.removals(text, level)),
            Level::Commands => Plan::Together(script_edits::commands(text), all),
            Level::Sections => Plan::Together(script_edits::sections(text), all),
            Level::Columns => Plan::Removals(vertex_data::columns(text)),
            Level::Vertices => Plan::OneByOne(vertex_data::vertices(text)),
            Level::Comments => Plan::Together(comments::edits(text, &shaders()), all),
            Level::Lines => Plan::Together(script_edits::lines(text, syntax), all),
            Level::Declarations => Plan::Together(statements::declarations(&shaders()), all),
            Level::Statements(depth) => {
                Plan::Together(statements::statements(&shaders(), depth), all)
            }
            Level::Unwrap => Plan::OneByOne(statements::unwrapped(&shaders())),
            Level::Members => Plan::Together(statements::members(&shaders()), all),
            Level::Expressions => Plan::OneByOne(expressions::edits(&shaders())),
            Level::Groups => Plan::OneByOne(tokens::groups(&shaders())),
            Level::Tokens => Plan::Together(tokens::tokens(&shaders()), tokens::CHUNK),
        }
    }
}

const SHADER_TEST: [Level; 17] = [
    Level::Commands,
    Level::Sections,
    Level::Columns,
    Level::Vertices,
    Level::Comments,
    Level::Lines,
    Level::Declarations,
    Level::Statements(0),
    Level::Statements(1),
    Level::Statements(2),
    Level::Statements(3),
    Level::Statements(4),
    Level::Unwrap,
    Level::Members,
    Level::Expressions,
    Level::Groups,
    Level::Tokens,
];

const VULKAN: [Level; 17] = [
    Level::Vulkan(RemovalLevel::Commands),
    Level::Vulkan(RemovalLevel::Declarations),
    Level::Vulkan(RemovalLevel::Options),
    Level::Vulkan(RemovalLevel::Functions),
    Level::Vulkan(RemovalLevel::Instructions),
    Level::Comments,
    Level::Declarations,
    Level::Statements(0),
    Level::Statements(1),
    Level::Statements(2),
    Level::Statements(3),
    Level::Unwrap,
    Level::Members,
    Level::Lines,
    Level::Expressions,
    Level::Groups,
    Level::Tokens,
];

#[cfg(test)]
mod tests;
