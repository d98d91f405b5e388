//! Assembly of a kernel with the rules that its instructions break.

use crate::devinfo::DevInfo;
use crate::encoding::{DecodeError, decode, decode_program};
use crate::text::print_inst;
use crate::validate::{Violation, validate_program};

/// Returns one line per instruction, each followed by comments that name the rules it breaks. The
/// text assembles to the same bytes.
///
/// # Errors
/// Fails if the bytes do not decode.
pub fn marked_listing(devinfo: &DevInfo, bytes: &[u8]) -> Result<String, DecodeError> {
    let violations = validate_program(devinfo, bytes);
    let mut text = String::new();
    for located in decode_program(devinfo, bytes)? {
        text += &print_inst(devinfo, &located.inst);
        text.push('\n');
        for violation in violations.iter().filter(|v| v.offset == located.offset) {
            text += &format!("// ^ {}: {}\n", violation.rule, violation.message);
        }
    }
    Ok(text)
}

/// Returns the instruction that breaks a rule; `None` if it does not decode.
pub fn violating_instruction(
    devinfo: &DevInfo,
    bytes: &[u8],
    violation: &Violation,
) -> Option<String> {
    let (inst, _) = decode(devinfo, bytes.get(violation.offset..)?).ok()?;
    Some(print_inst(devinfo, &inst))
}
