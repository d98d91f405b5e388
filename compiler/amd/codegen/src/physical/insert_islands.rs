//! Islands for jumps over more dwords than the 16 bits of a distance hold.
//!
//! An island is a jump between two parts of the code, which the code before it skips. A jump whose
//! target is too far leads to an island, and the island to the target or to the next island:
//!
//! ```text
//! before:                   after:
//!   s_cbranch_scc1 far        s_cbranch_scc1 island
//!   … 40,000 dwords           … 20,000 dwords
//! far:                        s_branch next
//!                           island:
//!                             s_branch far
//!                           next:
//!                             … 20,000 dwords
//!                           far:
//! ```
//!
//! Islands take no register and leave SCC alone, unlike `s_setpc_b64` with a computed address.

use super::{Physical, Placed};
use amd_isa::{Format, Instruction, Opcode, Operand};
use std::collections::BTreeMap;
use vocabulary::{InternalError, SourceLine};

/// Longest jump in dwords, by the code without islands. The rest of the distance that fits
/// ([`i16::MAX`]) is for the islands between a jump and its target.
const LONGEST: usize = 30_000;
/// Dwords between two places for islands.
const SPACING: usize = 10_000;

/// Makes every distance fit its field, as long as fewer than 2,000 islands stand in between.
///
/// # Errors
/// An instruction cannot be encoded.
pub(crate) fn insert_islands(program: &mut Physical) -> Result<bool, InternalError> {
    const LARGEST_INSTRUCTION: usize = 2;
    let instructions: usize = program.blocks.iter().map(Vec::len).sum();
    if instructions * LARGEST_INSTRUCTION <= LONGEST {
        return Ok(false);
    }
    let layout = Layout::of(program)?;
    let islands = layout.islands(program);
    if !islands.is_empty() {
        *program = layout.rebuild(program, &islands);
    }
    Ok(!islands.is_empty())
}

/// A place between two instructions where islands may stand.
#[derive(Clone, Copy)]
struct Site {
    /// The instruction after it, by block and number.
    block: usize,
    index: usize,
    /// Dwords before it.
    offset: usize,
}

/// Number of a site, and the block where an island of it leads.
type Island = (usize, usize);

/// Offsets of a program without islands, in dwords.
struct Layout {
    /// Of each block.
    starts: Vec<usize>,
    /// Of the end of each instruction, by block.
    ends: Vec<Vec<usize>>,
    sites: Vec<Site>,
}

impl Layout {
    fn of(program: &Physical) -> Result<Layout, InternalError> {
        let mut layout = Layout { starts: Vec::new(), ends: Vec::new(), sites: Vec::new() };
        let mut offset = 0;
        for (block, insts) in program.blocks.iter().enumerate() {
            layout.starts.push(offset);
            let mut ends = Vec::with_capacity(insts.len());
            for (index, placed) in insts.iter().enumerate() {
                if offset >= (layout.sites.len() + 1) * SPACING {
                    layout.sites.push(Site { block, index, offset });
                }
                offset += program.encode_instruction(&placed.instruction)?.len();
                ends.push(offset);
            }
            layout.ends.push(ends);
        }
        Ok(layout)
    }

    /// Returns the site on the way from an offset to a block, if the block is too far.
    fn next_site(&self, from: usize, target: usize) -> Option<usize> {
        let to = self.starts[target];
        if from.abs_diff(to) <= LONGEST {
            return None;
        }
        if to > from {
            self.sites.iter().rposition(|site| site.offset <= from + LONGEST)
        } else {
            self.sites.iter().position(|site| site.offset + LONGEST >= from)
        }
    }

    /// Returns the islands that the jumps of a program need, each with the next island of its way.
    fn islands(&self, program: &Physical) -> BTreeMap<Island, Option<usize>> {
        let mut islands = BTreeMap::new();
        for (insts, ends) in program.blocks.iter().zip(&self.ends) {
            for (placed, &end) in insts.iter().zip(ends) {
                let Some(target) = placed.target else { continue };
                let mut next = self.next_site(end, target);
                while let Some(site) = next {
                    next = self.next_site(self.sites[site].offset, target);
                    islands.insert((site, target), next);
                }
            }
        }
        islands
    }

    /// Returns the program with its islands, which are blocks of their own.
    fn rebuild(&self, program: &Physical, islands: &BTreeMap<Island, Option<usize>>) -> Physical {
        let used = |site: usize| islands.range((site, 0)..(site + 1, 0)).next().is_some();
        let used: Vec<bool> = (0..self.sites.len()).map(used).collect();
        let mut rebuilt = Rebuilt::default();
        // Jumps hold numbers of old blocks, or of islands, until all blocks have their new numbers.
        let mut site = 0;
        for (block, insts) in program.blocks.iter().enumerate() {
            rebuilt.old_starts.push(rebuilt.blocks.len());
            let mut part = Vec::new();
            for (index, (placed, &end)) in insts.iter().zip(&self.ends[block]).enumerate() {
                while let Some(here) = self.sites.get(site)
                    && (here.block, here.index) == (block, index)
                {
                    if used[site] {
                        rebuilt.add_islands(std::mem::take(&mut part), site, islands);
                    }
                    site += 1;
                }
                let target = placed.target.map(|target| match self.next_site(end, target) {
                    Some(site) => Target::Island((site, target)),
                    None => Target::Block(target),
                });
                part.push((placed.clone(), target));
            }
            rebuilt.blocks.push(part);
        }
        rebuilt.finish(program.chip)
    }
}

/// Target of a jump while blocks are added.
#[derive(Clone, Copy)]
enum Target {
    /// A block of the program without islands.
    Block(usize),
    Island(Island),
    /// The block after the islands that begin here, by its new number.
    After(usize),
}

/// A program while islands are added.
#[derive(Default)]
struct Rebuilt {
    blocks: Vec<Vec<(Placed, Option<Target>)>>,
    /// New number of each old block.
    old_starts: Vec<usize>,
    /// New number of each island.
    islands: BTreeMap<Island, usize>,
}

impl Rebuilt {
    /// Ends a block, `part`, with a jump over the islands of a site, and adds them.
    fn add_islands(
        &mut self,
        mut part: Vec<(Placed, Option<Target>)>,
        site: usize,
        islands: &BTreeMap<Island, Option<usize>>,
    ) {
        let jump = Instruction::new(Format::Sopp, Opcode::SBranch, &[Operand::Jump(0)]);
        let branch = || Placed { instruction: jump, target: None, line: SourceLine::NONE };
        let here: Vec<_> = islands.range((site, 0)..(site + 1, 0)).collect();
        let after = self.blocks.len() + 1 + here.len();
        part.push((branch(), Some(Target::After(after))));
        self.blocks.push(part);
        for (&(site, target), next) in here {
            self.islands.insert((site, target), self.blocks.len());
            let target = next.map_or(Target::Block(target), |next| Target::Island((next, target)));
            self.blocks.push(vec![(branch(), Some(target))]);
        }
    }

    fn finish(self, chip: amd_isa::Chip) -> Physical {
        let number = |target: Target| match target {
            Target::Block(block) => self.old_starts[block],
            Target::Island(island) => self.islands[&island],
            Target::After(block) => block,
        };
        let place = |(placed, target): &(Placed, Option<Target>)| Placed {
            target: target.map(number),
            ..placed.clone()
        };
        let blocks = self.blocks.iter().map(|block| block.iter().map(place).collect()).collect();
        Physical::of_blocks(chip, blocks)
    }
}
