//! Vulkan scripts on all generations: simulator and interpreter agree, and expectations hold.

use std::path::{Path, PathBuf};

use execute::{Devices, RunOptions, TestCase, run_file};
use results::verdict::Status;
use vocabulary::Target;

/// Prefix and suffix of the reason of a script that needs a program of Khronos.
const MISSING: [&str; 2] = ["the program ", " is not installed"];

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vulkan");
    let entries = std::fs::read_dir(folder).expect("the folder of scripts");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn scripts_pass_on_every_generation() {
    let (options, devices) = (RunOptions::default(), Devices::default());
    let mut passed = Vec::new();
    for path in scripts() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        for target in Target::hardware() {
            let case = TestCase::new(&name, target, &options, &devices);
            let verdict = run_file(&path, &TestCase { path: Some(&path), ..case });
            let reason = verdict.cause.as_ref().map_or("", |(_, reason)| reason);
            let is_missing = reason.starts_with(MISSING[0]) && reason.ends_with(MISSING[1]);
            match verdict.status {
                Status::Pass => passed.push((name.clone(), target)),
                Status::Skip if is_missing => {}
                _ => panic!("{name} on {target}: {verdict:?}"),
            }
        }
    }
    // Assembly needs no program.
    for target in Target::hardware() {
        assert!(passed.contains(&("spirv.amber".to_owned(), target)), "{target}");
    }
}

/// Geometry shaders see vertices in the order of Vulkan 1.3, section 21.1. Mesa's drivers do not
/// all keep it, so this is no file of tests/vulkan.
#[test]
fn triangles_begin_with_the_provoking_vertex() {
    let text = "#!amber
DEVICE_FEATURE geometryShader
DEVICE_FEATURE vertexPipelineStoresAndAtomics
SHADER vertex vertices GLSL
#version 450
layout(location = 0) out int number;
void main() { gl_Position = vec4(0.0); number = gl_VertexIndex; }
END
SHADER geometry triangles GLSL
#version 450
layout(triangles) in;
layout(points, max_vertices = 1) out;
layout(location = 0) in int number[];
layout(set = 0, binding = 0) buffer Orders { int orders[]; };
void main() { for (int i = 0; i < 3; i++) orders[gl_PrimitiveIDIn * 3 + i] = number[i]; }
END
SHADER fragment white GLSL
#version 450
layout(location = 0) out vec4 color;
void main() { color = vec4(1.0); }
END
BUFFER positions DATA_TYPE vec4<float> SIZE 5 FILL 0
BUFFER orders DATA_TYPE int32 SIZE 9 FILL -1
BUFFER colors FORMAT R8G8B8A8_UNORM
PIPELINE graphics pipeline
  ATTACH vertices
  ATTACH triangles
  ATTACH white
  FRAMEBUFFER_SIZE 8 8
  VERTEX_DATA positions LOCATION 0
  BIND BUFFER orders AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER colors AS color LOCATION 0
END
RUN pipeline DRAW_ARRAY AS TRIANGLE_STRIP
EXPECT orders IDX 0 EQ 0 1 2 1 3 2 2 3 4
RUN pipeline DRAW_ARRAY AS TRIANGLE_FAN
EXPECT orders IDX 0 EQ 1 2 0 2 3 0 3 4 0
";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("order.amber");
    std::fs::write(&path, text).expect("a file");
    let (options, devices) = (RunOptions::default(), Devices::default());
    for target in Target::hardware() {
        let case = TestCase::new("order.amber", target, &options, &devices);
        let verdict = run_file(&path, &TestCase { path: Some(&path), ..case });
        let is_fine = matches!(verdict.status, Status::Pass | Status::Skip);
        assert!(is_fine, "{target}: {verdict:?}");
    }
}
