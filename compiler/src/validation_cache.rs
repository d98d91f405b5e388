//! Cache of decoded and validated instructions.
//!
//! Shaders consist of few different instructions, so most need not be decoded and validated again.

use cache::{Entry, GenerationTable};
use intel_isa::validate::ProgramValidator;
use intel_isa::{DecodeError, DevInfo, Inst, Violation, decode, raw_encoding, validate_inst};

/// Capacity of each generation of the cache, in instructions: a megabyte.
const CAPACITY: usize = 1 << 12;

/// The halves of an encoding: they hash faster than the whole.
type Key = (u64, u64);

/// Name and message of a broken rule.
type BrokenRule = (&'static str, &'static str);

/// Decodes and validates instructions of one device, keeping the outcomes of recent ones.
///
/// ```
/// let device = intel_isa::DevInfo::get("skl").unwrap();
/// let nop = intel_isa::assemble(device, "nop;").unwrap();
/// let mut cache = compiler::ValidationCache::new(device);
/// assert_eq!(cache.validate_program(&nop), intel_isa::validate_program(device, &nop));
/// ```
#[derive(Debug)]
pub struct ValidationCache {
    devinfo: &'static DevInfo,
    /// The tag is true for instructions that are native, break no rule and do not steer:
    /// validating a program skips them.
    instructions: GenerationTable<Key, Vec<Instruction>, bool>,
}

/// A decoded instruction.
#[derive(Clone, Debug)]
struct Instruction {
    inst: Inst,
    /// The broken rules, once validated.
    broken: Option<Vec<BrokenRule>>,
}

fn key(encoding: u128) -> Key {
    (encoding as u64, (encoding >> 64) as u64)
}

impl ValidationCache {
    /// Returns an empty cache.
    pub fn new(devinfo: &'static DevInfo) -> ValidationCache {
        ValidationCache { devinfo, instructions: GenerationTable::new(CAPACITY) }
    }

    /// As [`intel_isa::decode`].
    ///
    /// # Errors
    /// As [`intel_isa::decode`].
    pub fn decode(&mut self, bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
        let key = key(raw_encoding(self.devinfo, bytes)?);
        let inst = self.look_up(key, bytes)?.0.inst;
        Ok((inst, inst.len_bytes()))
    }

    /// As [`intel_isa::validate_program`].
    pub fn validate_program(&mut self, bytes: &[u8]) -> Vec<Violation> {
        let devinfo = self.devinfo;
        let mut program = ProgramValidator::new(devinfo);
        while let Some(rest) = program.rest(bytes) {
            let key = raw_encoding(devinfo, rest).map(key);
            if key.as_ref().is_ok_and(|key| self.instructions.tag(key) == Some(true)) {
                program.push_valid();
                continue;
            }
            match key.and_then(|key| self.validated(key, rest)) {
                Ok((inst, broken)) => program.push(inst, broken),
                Err(error) => return program.fail(&error),
            }
        }
        program.finish()
    }

    /// Returns the instruction at the start of `bytes`, whose encoding has this key, and its index.
    fn look_up(&mut self, key: Key, bytes: &[u8]) -> Result<(&mut Instruction, u32), DecodeError> {
        let devinfo = self.devinfo;
        let Entry { values, index, .. } = self.instructions.get(key, 1, |instructions| {
            let (inst, _) = decode(devinfo, bytes)?;
            instructions.push(Instruction { inst, broken: None });
            Ok(false)
        })?;
        Ok((&mut values[index as usize], index))
    }

    /// Returns the same, and the rules that it breaks.
    fn validated(&mut self, key: Key, bytes: &[u8]) -> Result<(&Inst, &[BrokenRule]), DecodeError> {
        let devinfo = self.devinfo;
        let (Instruction { inst, broken }, index) = self.look_up(key, bytes)?;
        let broken = broken.get_or_insert_with(|| validate_inst(devinfo, inst));
        if broken.is_empty() && !inst.steers() && !inst.compacted {
            self.instructions.set_tag(&key, true);
        }
        let Instruction { inst, broken } = &self.instructions.values()[index as usize];
        Ok((inst, broken.as_deref().unwrap_or_default()))
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
        let native = intel_isa::assemble(devinfo, text).unwrap();
        let compacted = intel_isa::assemble(devinfo, &text.replace("1Q", "1Q compacted")).unwrap();
        assert_eq!((native.len(), compacted.len()), (16, 8));
        let mut cache = ValidationCache::new(devinfo);
        // The bytes behind a compacted instruction do not matter.
        let followed = |tail: u8| [&compacted[..], &[tail; 8]].concat();
        let odd = intel_isa::assemble(devinfo, "mov(8) g10<1>F g2<8,4,1>F { align1 1Q };").unwrap();
        for bytes in [&native, &compacted, &followed(1), &odd, &followed(2), &native, &odd] {
            assert_eq!(cache.decode(bytes), decode(devinfo, bytes));
            let (inst, length) = decode(devinfo, bytes).unwrap();
            let rules: Vec<&str> =
                validate_inst(devinfo, &inst).iter().map(|rule| rule.0).collect();
            let violations = cache.validate_program(&bytes[..length]);
            assert_eq!(violations, intel_isa::validate_program(devinfo, &bytes[..length]));
            let mut found: Vec<&str> = violations.iter().map(|violation| violation.rule).collect();
            assert_eq!(found.pop(), Some("thread-end"));
            assert_eq!(found, rules);
        }
        assert!(!cache.validate_program(&odd).is_empty(), "the region is not one row per width");
        for short in [&native[..15], &native[..7], &[]] {
            assert_eq!(cache.decode(short), decode(devinfo, short));
        }
    }
}
