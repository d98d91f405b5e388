//! Errors: line, column, the offending text, and a message that says what is wrong.

use vk_script::{ParseError, Rules};

use crate::common::parse;

fn error(text: &str) -> ParseError {
    match parse(text, Rules::VkRunner) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error,
    }
}

/// Checks texts of AmberScript, whose first line is added: line, column, offending text, message.
fn amber_errors(table: &[(&str, u32, u32, &str, &str)]) {
    for (text, line, column, found, message) in table {
        let error = error(&format!("#!amber\n{text}"));
        let actual = (error.line, error.column, error.text.as_str(), error.message.as_str());
        assert_eq!(actual, (*line, *column, *found, *message), "{text}");
    }
}

#[test]
fn commands_and_names() {
    amber_errors(&[
        ("FROBNICATE a", 2, 1, "FROBNICATE", "unknown command"),
        ("  7", 2, 3, "7", "expected a command"),
        ("CLEAR none", 2, 7, "none", "unknown pipeline"),
        ("RUN none 1 1 1", 2, 5, "none", "unknown pipeline"),
        ("EXPECT none IDX 0 EQ 1", 2, 8, "none", "unknown buffer"),
        ("DEVICE_FEATURE warpDrive", 2, 16, "warpDrive", "unknown feature"),
        ("DEVICE_PROPERTY a.b", 2, 17, "a.b", "unknown property"),
        ("SET ENGINE_DATA speed 1", 2, 17, "speed", "expected `fence_timeout_ms`"),
        ("REPEAT 0\nEND", 2, 8, "0", "number of repetitions outside of 1 to 2147483647"),
        ("REPEAT 2\n", 2, 1, "REPEAT", "`REPEAT` without `END`"),
        ("REPEAT 2\nREPEAT 2\nEND\nEND", 3, 1, "REPEAT", "unknown command"),
        ("DEVICE_EXTENSION a b", 2, 20, "b", "unexpected text after `DEVICE_EXTENSION`"),
    ]);
}

#[test]
fn shaders() {
    amber_errors(&[
        ("SHADER pixel a GLSL\nx\nEND", 2, 8, "pixel", "unknown stage"),
        ("SHADER vertex a CG\nx\nEND", 2, 17, "CG", "unknown language of shaders"),
        ("SHADER vertex a GLSL\nx", 2, 1, "SHADER", "`SHADER` without `END`"),
        ("SHADER vertex a GLSL\nEND", 2, 1, "SHADER", "empty shader"),
        (
            "SHADER fragment a PASSTHROUGH",
            2,
            8,
            "fragment",
            "`PASSTHROUGH` is for vertex shaders only",
        ),
        (
            "SHADER vertex a PASSTHROUGH\nSHADER vertex a PASSTHROUGH",
            3,
            15,
            "a",
            "a shader of this name exists",
        ),
        ("SHADER vertex a GLSL VIRTUAL_FILE x", 2, 35, "x", "unknown virtual file"),
        ("SHADER vertex a GLSL FILE x", 2, 27, "x", "no access to the file: no files here"),
        ("SHADER vertex a SPIRV-HEX\nxyz\nEND", 3, 1, "xyz", "`xyz` is no hexadecimal number"),
        (
            "VIRTUAL_FILE a\nx\nEND\nVIRTUAL_FILE a\nx\nEND",
            5,
            14,
            "a",
            "a virtual file of this path exists",
        ),
    ]);
}

#[test]
fn buffers() {
    let large = "buffer of 8589934588 bytes, more than 268435456";
    amber_errors(&[
        ("BUFFER a DATA_TYPE float5 SIZE 1 FILL 0", 2, 20, "float5", "unknown type"),
        ("BUFFER a DATA_TYPE vec5<float> SIZE 1 FILL 0", 2, 20, "vec5<float>", "unknown type"),
        ("BUFFER a DATA_TYPE int32 DATA 1 x END", 2, 33, "x", "expected a number or `END`"),
        (
            "BUFFER a DATA_TYPE int32 DATA 1.5 END",
            2,
            31,
            "1.5",
            "fraction where an integer belongs",
        ),
        ("BUFFER a DATA_TYPE int32 DATA 1", 2, 26, "DATA", "`DATA` without `END`"),
        ("BUFFER a DATA_TYPE vec2<int32> DATA 1 2 3 END", 2, 32, "DATA", "incomplete last element"),
        ("BUFFER a DATA_TYPE int32 SIZE 2147483647 FILL 0", 2, 8, "a", large),
        (
            "BUFFER a DATA_TYPE int32 SIZE -1 FILL 0",
            2,
            31,
            "-1",
            "negative number: expected a number of elements",
        ),
        (
            "BUFFER a DATA_TYPE int32 SIZE 9223372036854775808 FILL 0",
            2,
            31,
            "9223372036854775808",
            "a number of elements is larger than 32 bits: expected a number up to 4294967295",
        ),
        (
            "BUFFER a DATA_TYPE int32 SIZE 99999999999999999999 FILL 0",
            2,
            31,
            "99999999999999999999",
            "number of more than 64 bits: expected a number of elements",
        ),
        (
            "BUFFER a DATA_TYPE vec2<float> SIZE 2 SERIES_FROM 1 INC_BY 1",
            2,
            39,
            "SERIES_FROM",
            "`SERIES_FROM` is for elements of one value only",
        ),
        ("BUFFER a FORMAT R9G9_UNORM", 2, 17, "R9G9_UNORM", "unknown type"),
        (
            "BUFFER a FORMAT R8_UNORM SAMPLES 3",
            2,
            34,
            "3",
            "number of samples is not 1, 2, 4, 8, 16, 32 or 64",
        ),
        (
            "BUFFER a FORMAT R8_UNORM\nBUFFER a FORMAT R8_UNORM",
            3,
            8,
            "a",
            "a buffer of this name exists",
        ),
        (
            "IMAGE a FORMAT R8_UNORM WIDTH 4",
            2,
            7,
            "a",
            "image without `DIM_1D`, `DIM_2D` or `DIM_3D`",
        ),
        ("IMAGE a FORMAT R8_UNORM DIM_2D WIDTH 4", 2, 7, "a", "image without `HEIGHT`"),
        ("IMAGE a FORMAT R8_UNORM DIM_3D WIDTH 4 HEIGHT 4", 2, 7, "a", "image without `DEPTH`"),
        (
            "IMAGE a FORMAT R8_UINT DIM_1D WIDTH 4 DATA 1 2 END",
            2,
            39,
            "DATA",
            "2 elements for an image of 4",
        ),
        ("SAMPLER s MAG_FILTER cubic", 2, 22, "cubic", "expected a filter: `nearest`, `linear`"),
        ("SAMPLER s MIN_LOD 2.0 MAX_LOD 1.0", 2, 9, "s", "`MAX_LOD` is less than `MIN_LOD`"),
        ("STRUCT s\ns x\nEND", 3, 1, "s", "a structure cannot contain itself"),
        ("STRUCT s\nfloat x\nfloat x\nEND", 4, 7, "x", "a member of this name exists"),
        (
            "STRUCT s\nfloat x\nfloat y OFFSET 2\nEND",
            2,
            8,
            "s",
            "OFFSET before the end of the previous member",
        ),
        (
            "STRUCT s\nfloat x MATRIX_STRIDE 4\nEND",
            3,
            9,
            "MATRIX_STRIDE",
            "`MATRIX_STRIDE` is for matrices only",
        ),
    ]);
}

/// Declarations that the following texts use.
const DECLARED: &str = "SHADER vertex v PASSTHROUGH\nSHADER compute c GLSL\nvoid main() {}\nEND\n\
    BUFFER b DATA_TYPE int32 DATA 1 2 END\nBUFFER t FORMAT R8G8B8A8_UNORM\nBUFFER m DATA_TYPE mat2x2<float> SIZE 1 FILL 0\n";

#[test]
fn pipelines() {
    for (text, found, message) in [
        ("PIPELINE audio p\nEND", "audio", "unknown kind of pipeline"),
        ("PIPELINE graphics p\nATTACH c\nEND", "c", "a graphics pipeline has no compute shaders"),
        ("PIPELINE compute p\nATTACH v\nEND", "v", "a compute pipeline has compute shaders only"),
        ("PIPELINE compute p\nEND", "PIPELINE compute p", "compute pipeline without a shader"),
        (
            "PIPELINE graphics p\nEND",
            "PIPELINE graphics p",
            "graphics pipeline without a vertex shader",
        ),
        ("PIPELINE compute p\nATTACH c", "PIPELINE", "pipeline without `END`"),
        ("PIPELINE compute p\nATTACH x\nEND", "x", "unknown shader"),
        ("PIPELINE compute p\nATTACH c\nATTACH c\nEND", "c", "a shader that is attached already"),
        (
            "PIPELINE compute p\nATTACH c SPECIALIZE 1 AS int8 1\nEND",
            "int8",
            "constants are `uint32`, `int32` or `float`",
        ),
        ("DERIVE_PIPELINE q FROM q\nEND", "q", "unknown pipeline"),
        (
            "PIPELINE compute p\nATTACH c\nBIND BUFFER b AS texture DESCRIPTOR_SET 0 BINDING 0\nEND",
            "texture",
            "unknown kind of buffer",
        ),
        (
            "PIPELINE compute p\nATTACH c\nBIND BUFFER b AS storage BINDING 0\nEND",
            "BINDING",
            "expected `DESCRIPTOR_SET`",
        ),
        (
            "PIPELINE compute p\nATTACH c\nBIND BUFFER b AS storage_dynamic DESCRIPTOR_SET 0 BINDING 0\nEND",
            "",
            "expected `OFFSET`",
        ),
        (
            "PIPELINE compute p\nATTACH c\nBIND BUFFER_ARRAY b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND",
            "b",
            "an array of one buffer",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nBIND BUFFER m AS color LOCATION 0\nEND",
            "PIPELINE graphics p",
            "attachment `m` has no format of Vulkan's",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nBIND BUFFER t AS color LOCATION 0\nBIND BUFFER t AS color LOCATION 1\nEND",
            "t",
            "a color attachment that is bound twice",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nBIND BUFFER t AS color LOCATION 0 BASE_MIP_LEVEL 1\nEND",
            "1",
            "a level of mipmaps that the image does not have",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nFRAMEBUFFER_SIZE 0 4\nEND",
            "FRAMEBUFFER_SIZE",
            "empty framebuffer",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nFRAMEBUFFER_SIZE 65535 65535\nBIND BUFFER t AS color LOCATION 0\nEND",
            "p",
            "buffer of 17179344900 bytes, more than 268435456",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nVERTEX_DATA b LOCATION 0 STRIDE 0\nEND",
            "0",
            "zero: expected a stride",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nDEPTH\nTEST maybe\nEND\nEND",
            "maybe",
            "expected `on` or `off`",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nBLEND\nCOLOR_OP plus_minus\nEND\nEND",
            "plus_minus",
            "expected a blend operation",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nSTENCIL left\nEND\nEND",
            "left",
            "expected a face: `front`, `back`, `front_and_back`",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nSUBGROUP v\nREQUIRED_SIZE 8\nEND\nEND",
            "REQUIRED_SIZE",
            "option without `DEVICE_FEATURE SubgroupSizeControl.subgroupSizeControl`",
        ),
        (
            "PIPELINE graphics p\nATTACH v\nSHADER_GROUP a\nEND",
            "SHADER_GROUP",
            "unknown command of a pipeline",
        ),
    ] {
        let error = error(&format!("#!amber\n{DECLARED}{text}\n"));
        let shown = error.text.lines().next().unwrap_or("");
        assert_eq!((shown, error.message.as_str()), (found, message), "{text}");
    }
}

#[test]
fn runs_and_expectations() {
    let pipelines = "PIPELINE graphics g\nATTACH v\nVERTEX_DATA b LOCATION 0\nEND\n\
                     PIPELINE compute p\nATTACH c\nEND\n";
    for (text, found, message) in [
        ("RUN p 1 1", "", "expected a number of work groups"),
        ("RUN g 1 1 1", "g", "a compute pipeline is needed"),
        ("RUN p DRAW_RECT POS 0 0 SIZE 1 1", "p", "a graphics pipeline is needed"),
        ("RUN p SING", "SING", "expected work groups, `DRAW_RECT`, `DRAW_GRID` or `DRAW_ARRAY`"),
        ("RUN g DRAW_ARRAY AS SPHERES", "SPHERES", "unknown topology"),
        ("RUN g DRAW_ARRAY AS POINT_LIST INDEXED", "g", "pipeline without `INDEX_DATA`"),
        ("RUN g DRAW_ARRAY AS POINT_LIST COUNT 3", "g", "`COUNT` beyond 2 items"),
        ("RUN g DRAW_ARRAY AS POINT_LIST START_IDX 3", "g", "`START_IDX` beyond 2 items"),
        (
            "RUN g DRAW_GRID POS 0 0 SIZE 1 1 CELLS 1 1",
            "g",
            "a pipeline with vertex buffers draws no rectangles",
        ),
        ("CLEAR p", "p", "a graphics pipeline is needed"),
        ("CLEAR_COLOR g 256 0 0 0", "256", "number above 255"),
        ("COPY b TO b", "b", "copy of a buffer to itself"),
        ("EXPECT b IDX 1 EQ 1", "1", "offset is no multiple of the 4 bytes of an element"),
        ("EXPECT b IDX 0 EQ", "", "expected values"),
        ("EXPECT b IDX 0 EQ 1.5", "1.5", "fraction where an integer belongs"),
        (
            "EXPECT b IDX 0 ABOUT 1",
            "ABOUT",
            "expected a comparison: `EQ`, `NE`, `LT`, `LE`, `GT`, `GE`",
        ),
        ("EXPECT b IDX 0 TOLERANCE EQ 1", "TOLERANCE", "one to four tolerances are needed"),
        ("EXPECT b IDX 0 TOLERANCE 1 LT 1", "LT", "tolerances are for `EQ` only"),
        ("EXPECT b EQ_BUFFER t", "t", "comparison of buffers of different format"),
        ("EXPECT b IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3 4", "4", "unexpected text after `EXPECT`"),
        ("EXPECT b IDX 0 0 SIZE 0 1 EQ_RGB 1 2 3", "0", "zero: expected a width"),
    ] {
        let error = error(&format!("#!amber\n{DECLARED}{pipelines}{text}\n"));
        let shown = error.text.lines().next().unwrap_or("");
        assert_eq!((shown, error.message.as_str()), (found, message), "{text}");
    }
}

#[test]
fn vkscript() {
    let start = "[vertex shader passthrough]\n[test]\n";
    for (text, line, column, found, message) in [
        ("x", 1, 1, "x", "text before the first section"),
        ("[tests]", 1, 1, "[tests]", "unknown section"),
        ("[test", 1, 1, "[test", "unknown section"),
        ("[vertex shader cg]", 1, 1, "[vertex shader cg]", "unknown section"),
        ("[require]\nfbsize 0 1", 2, 1, "fbsize", "unusable size of the framebuffer"),
        ("[require]\nframebuffer RGB", 2, 13, "RGB", "unknown format"),
        ("[require]\na-b", 2, 1, "a-b", "unknown feature or extension"),
        ("[require]\nvulkan one", 2, 8, "one", "expected a version such as `1.1.0`"),
        ("[vertex data]\n0/R32_FLOAT\n", 2, 2, "/R32_FLOAT", "unknown format of vertex data"),
        ("[vertex data]\n0/R32G32_SFLOAT\n1\n", 3, 2, "", "expected a number of the column"),
        ("[vertex data]\n0/R32_SFLOAT\n1 2\n", 3, 3, "2", "unexpected text after `vertex data`"),
        ("[indices]\n65536", 2, 1, "65536", "index above 65535"),
        (
            "[vertex shader spirv]\nx\n[vertex shader]\ny",
            3,
            1,
            "[vertex shader]",
            "a second shader of a stage that is not all GLSL",
        ),
        ("[test]\ndraw rect 0 0 1 1", 2, 1, "draw rect 0 0 1 1", "no vertex shader"),
        ("[test]\ncompute 1 1 1", 2, 1, "compute 1 1 1", "no compute shader"),
    ] {
        let error = error(text);
        let actual = (error.line, error.column, error.text.as_str(), error.message.as_str());
        assert_eq!(actual, (line, column, found, message), "{text}");
    }
    for (text, column, found, message) in [
        ("frobnicate 1", 1, "frobnicate", "unknown command"),
        ("draw circle", 6, "circle", "expected `rect` or `arrays`"),
        ("draw rect 0 0 1", 16, "", "expected x, y, width and height"),
        ("draw arrays SPHERES 0 1", 13, "SPHERES", "unknown topology"),
        ("draw arrays indexed POINT_LIST 0 1", 1, "draw", "indexed draw without `[indices]`"),
        ("probe all rg 1 1", 11, "rg", "expected `rgb` or `rgba`"),
        ("relative probe all rgb 1 1 1", 1, "relative", "`relative` with `all`"),
        ("probe rgb (1, 2 (1, 1, 1)", 17, "(", "expected `)`"),
        ("probe rgb (-1, 2) (1, 1, 1)", 1, "probe", "coordinate outside of 0 to 4294967295"),
        ("probe ssbo int 0 0 == 1", 16, "0", "no buffer is bound here"),
        ("probe ssbo half 0 0 == 1", 12, "half", "unknown type"),
        ("ssbo 0 subdata vec2 0 1 2 3", 1, "ssbo", "incomplete last value"),
        ("ssbo 0 subdata int 4294967295 1", 1, "ssbo", "offset beyond 268435456 bytes"),
        (
            "ssbo 0 subdata int 9223372036854775808 1",
            20,
            "9223372036854775808",
            "an offset in bytes is larger than 32 bits: expected a number up to 4294967295",
        ),
        ("ssbo layout std999", 13, "std999", "unknown layout"),
        ("tolerance 1 2", 1, "tolerance", "one tolerance or four are needed"),
        ("tolerance -1", 11, "-1", "negative tolerance"),
        ("cullMode VK_CULL_MODE_SIDES", 10, "VK_CULL_MODE_SIDES", "unknown flag"),
        ("depthTestEnable maybe", 17, "maybe", "expected `true` or `false`"),
        ("clear color 1 1 1", 18, "", "expected a channel of a color"),
    ] {
        let error = error(&format!("{start}{text}\n"));
        let shown = error.text.lines().next().unwrap_or("");
        let actual = (error.line, error.column, shown, error.message.as_str());
        assert_eq!(actual, (3, column, found, message), "{text}");
    }
    let twice = error(&format!("{start}ssbo 0 4\nubo 0 4\n"));
    assert_eq!(twice.message, "a binding that is both uniform and storage buffer");
}

#[test]
fn errors_are_shown_with_their_place() {
    let error = error("#!amber\n# é\n  Ünknown x\n");
    assert_eq!((error.line, error.column), (3, 3));
    assert_eq!(error.to_string(), "line 3, column 3: unknown command: `Ünknown`");
}
