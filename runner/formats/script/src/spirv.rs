//! Specialization sections.

use crate::error::{ErrorKind, Fault};
use crate::numbers::{float32, unsigned32};
use crate::text::{Lines, skip_space, trim_end, word};

/// `[vertex shader passthrough]` as SPIR-V assembly: location 0 goes to the position, which is
/// member 0 of the built-in block. Its interface has the vertex and the instance, too, as that of
/// piglit's: queries count them.
pub const SPIRV_PASSTHROUGH: &[u8] = b"\
    OpCapability Shader\n\
    OpMemoryModel Logical GLSL450\n\
    OpEntryPoint Vertex %main \"main\" %block %vertex %id %instance\n\
    OpDecorate %vertex Location 0\n\
    OpDecorate %id BuiltIn VertexId\n\
    OpDecorate %instance BuiltIn InstanceId\n\
    OpDecorate %per_vertex Block\n\
    OpMemberDecorate %per_vertex 0 BuiltIn Position\n\
    %void = OpTypeVoid\n\
    %function = OpTypeFunction %void\n\
    %float = OpTypeFloat 32\n\
    %vec4 = OpTypeVector %float 4\n\
    %int = OpTypeInt 32 1\n\
    %zero = OpConstant %int 0\n\
    %per_vertex = OpTypeStruct %vec4\n\
    %out_block = OpTypePointer Output %per_vertex\n\
    %out_vec4 = OpTypePointer Output %vec4\n\
    %in_vec4 = OpTypePointer Input %vec4\n\
    %in_int = OpTypePointer Input %int\n\
    %block = OpVariable %out_block Output\n\
    %vertex = OpVariable %in_vec4 Input\n\
    %id = OpVariable %in_int Input\n\
    %instance = OpVariable %in_int Input\n\
    %main = OpFunction %void None %function\n\
    %begin = OpLabel\n\
    %value = OpLoad %vec4 %vertex\n\
    %place = OpAccessChain %out_vec4 %block %zero\n\
    OpStore %place %value\n\
    OpReturn\n\
    OpFunctionEnd\n";

/// One specialization constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// Constant id.
    pub id: u32,
    /// The value's 32 bits, of a float or an integer.
    pub bits: u32,
}

pub(crate) fn specializations(body: &[u8]) -> Result<Vec<Specialization>, Fault<'_>> {
    let mut constants = Vec::new();
    for (_, line) in Lines::new(body, 0) {
        let line = trim_end(skip_space(line));
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        constants.push(specialization(line).ok_or_else(|| {
            Fault::new(ErrorKind::Section, line, "expected `uint ID VALUE` or `float ID VALUE`")
        })?);
    }
    Ok(constants)
}

fn specialization(line: &[u8]) -> Option<Specialization> {
    let (rest, kind) = word(line).ok()?;
    let (rest, id) = unsigned32(rest).ok()?;
    let bits = match kind {
        "uint" => unsigned32(rest).ok()?.1,
        "float" => float32(rest).ok()?.1.value.to_bits(),
        _ => return None,
    };
    Some(Specialization { id, bits })
}
