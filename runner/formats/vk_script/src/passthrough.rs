//! The pass-through vertex shader.

/// A vertex shader that copies the vector at location 0 to the position.
pub(crate) const PASSTHROUGH: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %in_position %out_position
OpDecorate %in_position Location 0
OpDecorate %out_position BuiltIn Position
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vector = OpTypeVector %float 4
%in_pointer = OpTypePointer Input %vector
%out_pointer = OpTypePointer Output %vector
%in_position = OpVariable %in_pointer Input
%out_position = OpVariable %out_pointer Output
%main = OpFunction %void None %function
%begin = OpLabel
%value = OpLoad %vector %in_position
OpStore %out_position %value
OpReturn
OpFunctionEnd
";
