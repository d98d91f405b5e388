//! Cache of decoded and validated instructions.
//!
//! Shaders consist of few different instructions, so most need not be decoded and validated again.

use super::program::{ProgramValidator, Violation};
use super::rule_sets::validate_inst;
use crate::devinfo::DevInfo;
use crate::encoding::{DecodeError, decode, raw_encoding};
use crate::inst::Inst;
use crate::instruction_cache::InstructionCache;

/// Capacity of each half of the cache, in instructions: a megabyte.
const CAPACITY: usize = 1 << 12;

/// Decodes and validates instructions of one device, keeping the outcomes of recent ones.
#[derive(Debug)]
pub struct ValidationCache {
    devinfo: &'static DevInfo,
    cache: InstructionCache<Vec<Instruction>>,
}

/// Tag of an encoding that is native, breaks no rule and steers nothing: validating a program skips it.
const VALID: u8 = 1;

/// A decoded instruction.
#[derive(Clone, Debug)]
struct Instruction {
    inst: Inst,
    /// Names and messages of the broken rules, once validated.
    broken: Option<Vec<(&'static str, &'static str)>>,
}

impl ValidationCache {
    /// An empty cache.
    pub fn new(devinfo: &'static DevInfo) -> ValidationCache {
        ValidationCache { devinfo, cache: InstructionCache::new(CAPACITY) }
    }

    /// The device that the instructions are for.
    pub fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// As [`decode`].
    ///
    /// # Errors
    /// As [`decode`].
    pub fn decode(&mut self, bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
        let (instruction, _) = self.look_up(raw_encoding(self.devinfo, bytes)?, bytes)?;
        Ok((instruction.inst, instruction.inst.len_bytes()))
    }

    /// As [`super::validate_program`].
    pub fn validate_program(&mut self, bytes: &[u8]) -> Vec<Violation> {
        let devinfo = self.devinfo;
        let mut program = ProgramValidator::new(devinfo);
        while let Some(rest) = program.rest(bytes) {
            let encoding = raw_encoding(devinfo, rest);
            if encoding.as_ref().is_ok_and(|&encoding| self.cache.tag(encoding) == VALID) {
                program.push_valid();
                continue;
            }
            match encoding.and_then(|encoding| self.validated(encoding, rest)) {
                Ok((inst, broken)) => program.push(inst, broken),
                Err(error) => return program.fail(&error),
            }
        }
        program.finish()
    }

    /// The instruction at the start of `bytes`, encoded as `encoding`, and its tag.
    fn look_up(&mut self, encoding: u128, bytes: &[u8]) -> Result<(&mut Instruction, &mut u8), DecodeError> {
        let devinfo = self.devinfo;
        let found = self.cache.get(encoding, |instructions| {
            let (inst, _) = decode(devinfo, bytes)?;
            instructions.push(Instruction { inst, broken: None });
            Ok(0)
        })?;
        Ok((&mut found.storage[found.index as usize], found.tag))
    }

    /// The same, validated; the names and messages of the broken rules.
    fn validated(
        &mut self,
        encoding: u128,
        bytes: &[u8],
    ) -> Result<(&Inst, &[(&'static str, &'static str)]), DecodeError> {
        let devinfo = self.devinfo;
        let (instruction, tag) = self.look_up(encoding, bytes)?;
        let inst = &instruction.inst;
        let broken = instruction.broken.get_or_insert_with(|| validate_inst(devinfo, inst));
        if broken.is_empty() && !inst.steers() && !inst.compacted {
            *tag = VALID;
        }
        Ok((inst, broken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeated and interleaved look-ups return what the functions without a cache return.
    #[test]
    fn agrees_with_uncached_functions() {
        let devinfo = DevInfo::get("skl").unwrap();
        let text = "mov(8) g10<1>F g2<8,8,1>F { align1 1Q };";
        let native = crate::assemble(devinfo, text).unwrap();
        let compacted = crate::assemble(devinfo, &text.replace("1Q", "1Q compacted")).unwrap();
        assert_eq!((native.len(), compacted.len()), (16, 8));
        let mut instruction = ValidationCache::new(devinfo);
        // The bytes behind a compacted instruction do not matter.
        let followed = |tail: u8| [&compacted[..], &[tail; 8]].concat();
        let odd = crate::assemble(devinfo, "mov(8) g10<1>F g2<8,4,1>F { align1 1Q };").unwrap();
        for bytes in [&native, &compacted, &followed(1), &odd, &followed(2), &native, &odd] {
            assert_eq!(instruction.decode(bytes), decode(devinfo, bytes));
            let (inst, _) = decode(devinfo, bytes).unwrap();
            let rules: Vec<&str> = validate_inst(devinfo, &inst).iter().map(|rule| rule.0).collect();
            let length = inst.len_bytes();
            let mut found: Vec<&str> = instruction
                .validate_program(&bytes[..length])
                .iter()
                .map(|violation| violation.rule)
                .collect();
            assert_eq!(found.pop(), Some("thread-end"));
            assert_eq!(found, rules);
        }
        assert!(!instruction.validate_program(&odd).is_empty(), "the region is not one row per width");
        for short in [&native[..15], &native[..7], &[]] {
            assert_eq!(instruction.decode(short), decode(devinfo, short));
        }
    }
}
