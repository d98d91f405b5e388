//! Instructions seen before: shaders are made of few different ones, so that most need not be decoded and checked again.

use super::jumps::{self, Steering};
use super::{Violation, decode_violation, validate_inst};
use crate::devinfo::DevInfo;
use crate::encoding::{DecodeError, Located, decode, word};
use crate::extent::Extent;
use crate::inst::Inst;
use crate::recent::Recent;

/// Most instructions of one generation that are remembered: a megabyte.
const CAPACITY: usize = 1 << 12;

/// Decodes and checks instructions of one device, remembering the outcomes.
#[derive(Debug)]
pub struct KnownInsts {
    devinfo: &'static DevInfo,
    known: Recent<Vec<Known>>,
}

/// Mark of an instruction word that was checked, breaks no rule, is native and does not steer, so that a program's check
/// need not look at it again.
const PLAIN: u8 = 1;

/// What an instruction word means.
#[derive(Clone, Debug)]
struct Known {
    inst: Inst,
    /// Names and messages of the rules that the instruction breaks, once it was checked.
    broken: Option<Vec<(&'static str, &'static str)>>,
}

impl KnownInsts {
    /// Knows none yet.
    pub fn new(devinfo: &'static DevInfo) -> KnownInsts {
        KnownInsts { devinfo, known: Recent::new(CAPACITY) }
    }

    /// The device whose instructions these are.
    pub fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// As [`decode`].
    ///
    /// # Errors
    /// As [`decode`].
    pub fn decode(&mut self, bytes: &[u8]) -> Result<(Inst, usize), DecodeError> {
        let (known, _) = self.look_up(word(self.devinfo, bytes)?, bytes)?;
        Ok((known.inst, known.inst.len_bytes()))
    }

    /// Checks a program's instructions, as far as it reaches, and its jumps. Bytes that do not decode end the check with
    /// the violation `decode`.
    pub fn validate_program(&mut self, bytes: &[u8]) -> Vec<Violation> {
        let devinfo = self.devinfo;
        let mut steering = Steering::default();
        let mut violations = Vec::new();
        let (mut offset, mut extent) = (0, Extent::default());
        while let Some(rest) = bytes.get(offset..).filter(|rest| !rest.is_empty()) {
            let word = word(devinfo, rest);
            if word.as_ref().is_ok_and(|&word| self.known.mark(word) == PLAIN) {
                steering.starts.push(offset);
                offset += 16;
                continue;
            }
            let known = match word.and_then(|word| self.checked(word, rest)) {
                Ok(known) => known,
                Err(error) => {
                    violations.push(decode_violation(offset, &error));
                    return violations;
                }
            };
            steering.starts.push(offset);
            for &(rule, message) in known.broken.iter().flatten() {
                violations.push(Violation { offset, rule, message: message.to_owned() });
            }
            let inst = &known.inst;
            if inst.steers() {
                steering.insts.push(Located { offset, inst: *inst });
            }
            let ends = extent.ends_behind(devinfo, inst, offset);
            offset += inst.len_bytes();
            if ends {
                break;
            }
        }
        violations.extend(jumps::check(devinfo, &steering, offset));
        violations
    }

    /// The instruction at the start of `bytes`, whose word is `word`, and the word's mark.
    fn look_up(&mut self, word: u128, bytes: &[u8]) -> Result<(&mut Known, &mut u8), DecodeError> {
        let devinfo = self.devinfo;
        let found = self.known.get(word, |known| {
            let (inst, _) = decode(devinfo, bytes)?;
            known.push(Known { inst, broken: None });
            Ok(0)
        })?;
        Ok((&mut found.values[found.place as usize], found.mark))
    }

    /// The same, checked.
    fn checked(&mut self, word: u128, bytes: &[u8]) -> Result<&Known, DecodeError> {
        let devinfo = self.devinfo;
        let (known, mark) = self.look_up(word, bytes)?;
        let inst = &known.inst;
        let broken = known.broken.get_or_insert_with(|| validate_inst(devinfo, inst));
        if broken.is_empty() && !inst.steers() && !inst.compacted {
            *mark = PLAIN;
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked twice, and asked after others, the answers are those of the functions without memory.
    #[test]
    fn remembers_what_is_true() {
        let devinfo = DevInfo::get("skl").unwrap();
        let text = "mov(8) g10<1>F g2<8,8,1>F { align1 1Q };";
        let native = crate::assemble(devinfo, text).unwrap();
        let compacted = crate::assemble(devinfo, &text.replace("1Q", "1Q compacted")).unwrap();
        assert_eq!((native.len(), compacted.len()), (16, 8));
        let mut known = KnownInsts::new(devinfo);
        // A compacted instruction is the same one whatever stands behind it.
        let followed = |tail: u8| [&compacted[..], &[tail; 8]].concat();
        let odd = crate::assemble(devinfo, "mov(8) g10<1>F g2<8,4,1>F { align1 1Q };").unwrap();
        for bytes in [&native, &compacted, &followed(1), &odd, &followed(2), &native, &odd] {
            assert_eq!(known.decode(bytes), decode(devinfo, bytes));
            let (inst, _) = decode(devinfo, bytes).unwrap();
            let rules: Vec<&str> = validate_inst(devinfo, &inst).iter().map(|rule| rule.0).collect();
            let length = inst.len_bytes();
            let mut found: Vec<&str> =
                known.validate_program(&bytes[..length]).iter().map(|violation| violation.rule).collect();
            assert_eq!(found.pop(), Some("thread-end"));
            assert_eq!(found, rules);
        }
        assert!(!known.validate_program(&odd).is_empty(), "the region is not one row per width");
        for short in [&native[..15], &native[..7], &[]] {
            assert_eq!(known.decode(short), decode(devinfo, short));
        }
    }
}
