//! Reduction of a failing test to a smaller one that fails in the same way: hierarchical delta
//! debugging.
//!
//! [`levels`](Level::of) are ways to shrink a text, from whole commands and sections down to
//! expressions and tokens; each turns a text into [`Plan`]s, lists of [`Edit`]s. The [`engine`]
//! applies as many of them as leave the text interesting, and repeats until no level shrinks the
//! text. A [`Likeness`] defines interesting texts.

mod arrays;
mod comments;
mod driver;
mod edit;
mod engine;
mod expressions;
mod framebuffers;
mod functions;
mod inline;
mod likeness;
mod narrow;
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
    /// Numbers of commands, replaced by lower ones.
    Numbers,
    /// Attachments of framebuffers, with the outputs of fragment shaders.
    Attachments,
    /// Comments and blank lines.
    Comments,
    /// Lines, also in GLSL sections: preprocessor directives and code that the front end refuses.
    Lines,
    /// Extensions, replaced by a later version of the language.
    Extensions,
    /// Global declarations, functions among them.
    Declarations,
    /// Statements at one depth of nesting.
    Statements(usize),
    /// Statements, replaced by their contents: branches, loop bodies, blocks.
    Unwrap,
    /// Functions, replaced by their contents.
    Functions,
    /// Parameters of functions, with the arguments.
    Parameters,
    /// Variables, replaced by their values.
    Variables,
    /// Vectors, replaced by scalars.
    Vectors,
    /// Elements of arrays.
    Elements,
    /// Structures, replaced by their only member.
    Structures,
    /// Members of structures and blocks.
    Members,
    /// Qualifiers of declarations.
    Qualifiers,
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
            Level::Extensions => "extensions",
            Level::Declarations => "declarations",
            Level::Statements(_) => "statements",
            Level::Unwrap => "nesting",
            Level::Numbers => "numbers",
            Level::Attachments => "attachments",
            Level::Functions => "functions",
            Level::Parameters => "parameters",
            Level::Variables => "variables",
            Level::Vectors => "vectors",
            Level::Elements => "elements",
            Level::Structures => "structures",
            Level::Members => "members",
            Level::Qualifiers => "qualifiers",
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
            Level::Extensions => Plan::OneByOne(script_edits::extensions(text)),
            Level::Declarations => Plan::Together(statements::declarations(&shaders()), all),
            Level::Statements(depth) => {
                Plan::Together(statements::statements(&shaders(), depth), all)
            }
            Level::Unwrap => Plan::OneByOne(statements::unwrapped(&shaders())),
            Level::Numbers => Plan::OneByOne(script_edits::numbers(text)),
            Level::Attachments => Plan::OneByOne(framebuffers::attachments(text, &shaders())),
            Level::Functions => Plan::OneByOne(functions::inlined(&shaders())),
            Level::Parameters => Plan::OneByOne(functions::parameters(&shaders())),
            Level::Variables => Plan::OneByOne(inline::variables(&shaders())),
            Level::Vectors => Plan::OneByOne(narrow::vectors(text, &shaders())),
            Level::Elements => Plan::OneByOne(arrays::shorter(text, &shaders())),
            Level::Structures => Plan::OneByOne(narrow::structures(&shaders())),
            Level::Members => Plan::Together(statements::members(&shaders()), all),
            Level::Qualifiers => Plan::Together(statements::qualifiers(&shaders()), all),
            Level::Expressions => Plan::OneByOne(expressions::edits(&shaders())),
            Level::Groups => Plan::OneByOne(tokens::groups(&shaders())),
            Level::Tokens => Plan::Together(tokens::tokens(&shaders()), tokens::CHUNK),
        }
    }
}

const SHADER_TEST: [Level; 27] = [
    Level::Commands,
    Level::Sections,
    Level::Attachments,
    Level::Columns,
    Level::Vertices,
    Level::Numbers,
    Level::Comments,
    Level::Lines,
    Level::Extensions,
    Level::Declarations,
    Level::Statements(0),
    Level::Statements(1),
    Level::Statements(2),
    Level::Statements(3),
    Level::Statements(4),
    Level::Unwrap,
    Level::Functions,
    Level::Parameters,
    Level::Variables,
    Level::Vectors,
    Level::Elements,
    Level::Structures,
    Level::Members,
    Level::Qualifiers,
    Level::Expressions,
    Level::Groups,
    Level::Tokens,
];

const VULKAN: [Level; 24] = [
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
    Level::Functions,
    Level::Parameters,
    Level::Variables,
    Level::Vectors,
    Level::Elements,
    Level::Structures,
    Level::Members,
    Level::Qualifiers,
    Level::Lines,
    Level::Expressions,
    Level::Groups,
    Level::Tokens,
];

#[cfg(test)]
mod substitution_tests;
#[cfg(test)]
mod tests;
