//! Random rewriting of SPIR-V modules that keeps their meaning.
//!
//! A module and its rewritten form compute the same, so that a compiler that gives them different
//! results is wrong about one of them. A rewriting is a number of steps. Each applies a random
//! transformation at a random place; the random numbers of a step follow from the seed and from the
//! number of the step, so that leaving out steps leaves the choices of the others alone.
//!
//! ```
//! use spirv_rewrite::{Rewriting, rewrite};
//!
//! let text = r#"
//!     OpCapability Shader
//!     OpMemoryModel Logical GLSL450
//!     OpEntryPoint Fragment %main "main" %color
//!     OpExecutionMode %main OriginUpperLeft
//!     OpDecorate %color Location 0
//!     %void = OpTypeVoid
//!     %function = OpTypeFunction %void
//!     %float = OpTypeFloat 32
//!     %pointer = OpTypePointer Output %float
//!     %one = OpConstant %float 1
//!     %color = OpVariable %pointer Output
//!     %main = OpFunction %void None %function
//!     %begin = OpLabel
//!     %sum = OpFAdd %float %one %one
//!     OpStore %color %sum
//!     OpReturn
//!     OpFunctionEnd
//! "#;
//! let words = spirv_front::assemble(text.as_bytes())?.words;
//! let rewriting: Rewriting = "7".parse()?;
//! let rewritten = rewrite(&words, &rewriting)?;
//! assert!(!rewritten.steps.is_empty() && rewritten.words != words);
//! spirv_front::Module::checked_of_script(&rewritten.words)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arithmetic;
mod chains;
mod control;
mod copies;
mod dead;
mod draft;
mod flow;
mod opaque;
mod order;
mod outline;
mod pieces;
mod place;
mod random;
mod rewriting;
#[cfg(test)]
mod tests;
mod types;

use draft::Draft;
pub use random::Random;
pub use rewriting::{Rewriting, UnknownRewriting};
use spirv_front::Module;

/// Most words that a module may have when a step begins.
const MOST_WORDS: usize = 1 << 18;
/// Fewest and most steps of a rewriting.
const STEPS: (usize, usize) = (8, 48);

/// A module that was not rewritten.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The module breaks a rule of the specification.
    #[error("the module is invalid: {0}")]
    Invalid(#[from] spirv_front::Error),
    /// The library that reads modules does not know all of it.
    #[error("the module is not understood: {0}")]
    Unread(String),
}

/// A rewritten module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// Its words.
    pub words: Vec<u32>,
    /// Steps that changed something: their numbers and transformations.
    pub steps: Vec<(u32, &'static str)>,
    /// Steps without effect, because a rule of the specification forbids their result.
    pub refused: Vec<(u32, &'static str)>,
}

/// A transformation: it changes a module and returns true, or returns false if the places at which
/// it looked do not permit it. Then the module is thrown away.
type Transformation = fn(&mut Draft, &mut Random) -> bool;

/// Names of transformations, each with the odds of a step to be one.
const TRANSFORMATIONS: [(&str, usize, Transformation); 23] = [
    ("block-order", 2, order::move_block),
    ("chain-split", 2, chains::split_chain),
    ("commuted", 3, arithmetic::commute),
    ("componentwise", 2, arithmetic::by_components),
    ("composite-copy", 3, copies::rebuild_composite),
    ("copy", 2, copies::copy_value),
    ("dead-block", 4, dead::add_dead_block),
    ("dead-jump", 4, dead::add_dead_jump),
    ("donated", 3, dead::donate),
    ("duplicated", 3, pieces::duplicate),
    ("identity", 3, arithmetic::add_identity),
    ("index", 2, opaque::hide_index),
    ("inverted-branch", 2, control::invert_branch),
    ("inverted-comparison", 2, arithmetic::invert_comparison),
    ("obfuscated-constant", 4, opaque::hide_constant),
    ("outlined", 4, outline::outline),
    ("pointer-copy", 2, copies::copy_pointer),
    ("select-to-branch", 2, control::select_to_branch),
    ("split-block", 2, pieces::split_block),
    ("switch", 3, control::branch_to_switch),
    ("through-variable", 3, copies::through_variable),
    ("wrapped-loop", 4, pieces::wrap_in_loop),
    ("wrapped-selection", 4, pieces::wrap_in_selection),
];

/// Rewrites a module.
///
/// # Errors
/// The module is invalid, or the library that reads modules does not know all of it.
pub fn rewrite(words: &[u32], rewriting: &Rewriting) -> Result<Rewritten, RewriteError> {
    Module::checked_of_script(words)?;
    let read = rspirv::dr::load_words(words);
    let mut draft = Draft::new(read.map_err(|state| RewriteError::Unread(state.to_string()))?);
    let count = Random::new(rewriting.seed, 0, 0).between(STEPS.0, STEPS.1);
    let mut rewritten = Rewritten { words: words.to_vec(), steps: Vec::new(), refused: Vec::new() };
    for number in (0..count as u32).filter(|&number| rewriting.has(number)) {
        if rewritten.words.len() > MOST_WORDS {
            break;
        }
        let mut random = Random::new(rewriting.seed, u64::from(number), 1);
        let (name, transformation) = chosen(&mut random);
        let mut next = draft.clone();
        if !transformation(&mut next, &mut random) {
            continue;
        }
        let words = next.finish();
        if Module::checked_of_script(&words).is_err() {
            rewritten.refused.push((number, name));
            continue;
        }
        draft = next;
        rewritten.words = words;
        rewritten.steps.push((number, name));
    }
    Ok(rewritten)
}

/// A random transformation.
fn chosen(random: &mut Random) -> (&'static str, Transformation) {
    let all: usize = TRANSFORMATIONS.iter().map(|(_, odds, _)| odds).sum();
    let mut left = random.below(all);
    let mut last = TRANSFORMATIONS[0];
    for transformation in TRANSFORMATIONS {
        last = transformation;
        if left < transformation.1 {
            break;
        }
        left -= transformation.1;
    }
    (last.0, last.2)
}
