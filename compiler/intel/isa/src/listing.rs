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
    let rows = marked_rows(devinfo, bytes)?;
    Ok(rows.into_iter().map(|(_, text)| text + "\n").collect())
}

/// Returns the lines of [`marked_listing`], each with the byte offset of its instruction.
///
/// # Errors
/// As [`marked_listing`].
pub fn marked_rows(devinfo: &DevInfo, bytes: &[u8]) -> Result<Vec<(usize, String)>, DecodeError> {
    let violations = validate_program(devinfo, bytes);
    let mut rows = Vec::new();
    for located in decode_program(devinfo, bytes)? {
        rows.push((located.offset, print_inst(devinfo, &located.inst)));
        for violation in violations.iter().filter(|v| v.offset == located.offset) {
            let comment = format!("// ^ {}: {}", violation.rule, violation.message);
            rows.push((located.offset, comment));
        }
    }
    Ok(rows)
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
