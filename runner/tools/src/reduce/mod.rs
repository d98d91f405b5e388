//! Reduction of a failing test to a smaller one that fails in the same way: hierarchical delta
//! debugging.
//!
//! [`levels`](Level::ALL) are ways to shrink a text, from whole commands and sections down to
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
mod tokens;

pub use driver::{Failure, Reduced, SameFailure};
pub use edit::{Edit, apply};
pub use engine::{Judge, Progress, Reducer, Stopped};
pub use likeness::{Likeness, Wanted};

/// A way to try a list of edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// In chunks of all sizes up to this number: edits are disjoint and in the order of the text.
    Together(Vec<Edit>, usize),
    /// One at a time; each accepted edit leads to a new list.
    OneByOne(Vec<Edit>),
}

/// A way to shrink a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Commands of `[test]`.
    Commands,
    /// Whole sections.
    Sections,
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
    /// From the coarsest to the finest.
    pub const ALL: [Level; 15] = [
        Level::Commands,
        Level::Sections,
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

    /// Returns the name of the removed parts.
    pub fn name(self) -> &'static str {
        match self {
            Level::Commands => "commands",
            Level::Sections => "sections",
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
    pub fn plan(self, text: &str) -> Plan {
        let all = usize::MAX;
        match self {
            Level::Commands => Plan::Together(script_edits::commands(text), all),
            Level::Sections => Plan::Together(script_edits::sections(text), all),
            Level::Comments => Plan::Together(comments::edits(text), all),
            Level::Lines => Plan::Together(script_edits::lines(text), all),
            Level::Declarations => Plan::Together(statements::declarations(text), all),
            Level::Statements(depth) => Plan::Together(statements::statements(text, depth), all),
            Level::Unwrap => Plan::OneByOne(statements::unwrapped(text)),
            Level::Members => Plan::Together(statements::members(text), all),
            Level::Expressions => Plan::OneByOne(expressions::edits(text)),
            Level::Groups => Plan::OneByOne(tokens::groups(text)),
            Level::Tokens => Plan::Together(tokens::tokens(text), tokens::CHUNK),
        }
    }
}

#[cfg(test)]
mod tests;
