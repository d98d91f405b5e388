//! Listings of IR and machine code with source lines.
//!
//! ```
//! use compiler::{CodegenOptions, compile, listing};
//! use program::link::{LinkOptions, link};
//! use program::{Api, Capabilities, CapabilityTable, Stage, StageKey, TypeTable};
//!
//! let capabilities = Capabilities::from(CapabilityTable {
//!     generation: "skl".into(),
//!     api: Api::Compatibility,
//!     gl_version: 46,
//!     glsl_version: 460,
//!     extensions: Default::default(),
//!     limits: Default::default(),
//! });
//! let source = "#version 120\nvoid main() {\n  gl_Position = 2.0 * gl_Vertex;\n}";
//! let mut types = TypeTable::default();
//! let shader = glsl::compile(&[source], Stage::Vertex, Default::default(), &mut types)
//!     .map_err(|errors| errors.to_string())?;
//! let program = link(vec![shader], types, &LinkOptions::new(&capabilities))
//!     .map_err(|error| error.to_string())?;
//!
//! let devinfo = intel_isa::DevInfo::get("skl").expect("a known device");
//! let (key, options) = (StageKey::default(), CodegenOptions::default());
//! let binary = compile(&program, Stage::Vertex, &key, devinfo, &options)
//!     .map_err(|error| error.to_string())?;
//! let code = listing::intel(devinfo, &binary.compiled.kernels[0])
//!     .map_err(|error| error.to_string())?;
//! let product = code.rows.iter().find(|row| row.text.starts_with("mul(8)"));
//! assert_eq!(product.and_then(|row| row.line), Some(3));
//! # Ok::<(), String>(())
//! ```

use amd_isa::Chip;
use intel_codegen::output::Kernel;
use intel_isa::DevInfo;
use vocabulary::SourceLine;

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The text, without a line break.
    pub text: String,
    /// Byte offset of its instruction in machine code.
    pub offset: Option<u32>,
    /// Number of the shader object among those of the stage, from 0, that has the source line.
    pub unit: u32,
    /// The source line, from 1 in the shader object's own text; `None` if the instruction comes
    /// from no line: payloads, prologues, epilogues, and stages that are not written by the user.
    pub line: Option<u32>,
}

impl Row {
    fn new(text: String, offset: Option<u32>, source: SourceLine) -> Row {
        Row { text, offset, unit: source.unit(), line: source.line() }
    }
}

/// A listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Its lines in order.
    pub rows: Vec<Row>,
}

/// Returns the text of a shader in IR; [`ir_after`](crate::ir_after) and
/// [`ir_for_amd`](crate::ir_for_amd) give it after each pass.
pub fn ir(shader: &ir::Shader) -> Listing {
    // The form with lines has them behind the text.
    let text = format!("{shader:#}");
    let row = |text: &str| match text
        .rsplit_once(" @")
        .and_then(|(text, mark)| Some((text, source(mark)?)))
    {
        Some((text, source)) => Row::new(text.to_owned(), None, source),
        None => Row::new(text.to_owned(), None, SourceLine::NONE),
    };
    Listing { rows: text.lines().map(row).collect() }
}

/// Returns the line that a mark of IR text names: `12`, or `1:12` in unit 1.
fn source(mark: &str) -> Option<SourceLine> {
    let (unit, line) = mark.split_once(':').unwrap_or(("0", mark));
    Some(SourceLine::new(unit.parse().ok()?, line.parse().ok()?))
}

/// Returns the assembly of a kernel; comments name the rules that it breaks.
///
/// # Errors
/// The code does not decode.
pub fn intel(devinfo: &DevInfo, kernel: &Kernel) -> Result<Listing, intel_isa::DecodeError> {
    let row = |(offset, text): (usize, String)| {
        Row::new(text, Some(offset as u32), kernel.lines.at(offset as u32))
    };
    Ok(Listing {
        rows: intel_isa::marked_rows(devinfo, &kernel.code)?.into_iter().map(row).collect(),
    })
}

/// Returns the assembly of a program for AMD's chips.
///
/// # Errors
/// The code does not decode.
pub fn amd(output: &amd_codegen::Output) -> Result<Listing, amd_isa::DecodeError> {
    let chip: Chip = output.chip;
    let program = amd_isa::decode_program(chip, &output.words)?;
    let row = |(dword, text): (usize, String)| {
        let offset = 4 * dword as u32;
        Row::new(text, Some(offset), output.lines.at(offset))
    };
    Ok(Listing { rows: amd_isa::program_rows(chip, &program).into_iter().map(row).collect() })
}
