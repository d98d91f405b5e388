//! Robustness: for any bytes the parser returns, and its result is consistent.

use arbtest::arbtest;

/// A file with every section and many commands; mutations of it get deep into the parser.
const VALID: &str = "# comment\n[require]\nGL >= 3.2\nGLSL >= 1.50\nGL_ARB_gpu_shader_fp64\nINT GL_MAX_SAMPLES >= 2\n\
GL_MAX_VERTEX_ATTRIBS >= 12\nSIZE 16 16\n[vertex shader]\n#version 150\nin vec4 a;\nvoid main() {}\n[geometry layout]\n\
input type GL_LINES\n[fragment shader]\nvoid main() {}\n[shader include]\n/x\nint y;\n[shader include paths]\n/a/\n\
[fragment shader specializations]\nuint 1 2\n[vertex data]\na/float/vec4 b[1]/double/dmat2x3/1 3/byte/2 h/half/1\n\
1 2 -3.5e2 0x3f800000  0x3ff0000000000000 inf 3 -128 7 0.25\n1 2 3 4 5 6 7 8 9 10 # end\n[test]\n\
clear color 0.1 0x3f800000 nan 1\nclear\nuniform dmat2x3 m[3] 1 2 3 4 5 6\nuniform i64vec2 v -5 0x10\n\
draw arrays GL_TRIANGLES 0 2\ndraw rect tex -1 -1 2 2 0 0 1 1\nprobe rgba 1 2 0 1 0 1\n\
relative probe rect rgb (0.0, 0.0, 0.5, 1.0) (0, 1, 0)\nprobe ssbo uint 0 4 == 0x10\nssbo 0 subdata int64 8 -1\n\
texture rgbw 0 (4, 4) GL_RGBA8\ntexture storage 1 2DArray GL_RGBA8 ( 1 4 4 2 )\ntexparameter 2D min nearest\n\
fb tex slice Cube 0 1 3\nblit color linear\nlight 0 GL_POSITION float 1 2 3\nviewport swizzle 0 POSITIVE_X NEGATIVE_Y \
POSITIVE_Z NEGATIVE_W\nparameter env_vp 1 (1, 2, 3, 4)\nverify program_query GL_ACTIVE_UNIFORMS 4\nlink success\n";

/// Parses and checks the guarantees of every result.
fn check(bytes: &[u8]) {
    match script::parse(bytes) {
        Ok(script) => {
            for line in script.test.iter().flatten() {
                assert!(!script.slice(line.span).is_empty() && line.number > 0);
                if let script::Command::Uniform(uniform) = &line.command {
                    assert_eq!(script.uniform_words(uniform).len(), uniform.ty.words());
                }
            }
            for shader in script.shaders() {
                assert_eq!(script.slice(shader.body), String::from_utf8_lossy(shader.source));
                let _ = script.version_line(shader);
            }
            if let Some(data) = &script.vertex_data {
                assert_eq!(data.data.len(), data.rows as usize * data.stride as usize);
            }
        }
        Err(error) => {
            let range = error.span.range();
            assert!(range.start <= range.end && range.end <= bytes.len());
            let before = &bytes[..range.start];
            assert_eq!(error.line as usize, before.iter().filter(|&&b| b == b'\n').count() + 1);
            assert!(error.column > 0 && !error.message.is_empty());
        }
    }
}

#[test]
fn the_valid_file_is_valid() {
    let script = script::parse(VALID.as_bytes());
    assert!(script.is_ok(), "{script:?}");
}

#[test]
fn random_bytes() {
    arbtest(|u| {
        let bytes: Vec<u8> = u.arbitrary()?;
        check(&bytes);
        Ok(())
    });
}

#[test]
fn random_tests() {
    // Random ASCII where a command is expected.
    arbtest(|u| {
        let mut file = b"[require]\n[test]\n".to_vec();
        file.extend(u.arbitrary_iter::<u8>()?.flatten().map(|b| b & 0x7f));
        check(&file);
        Ok(())
    });
}

#[test]
fn every_prefix_of_a_valid_file() {
    for end in 0..=VALID.len() {
        check(&VALID.as_bytes()[..end]);
    }
}

#[test]
fn every_byte_replaced() {
    for at in 0..VALID.len() {
        for byte in [0, b'\n', b'\r', b' ', b'[', b'-', b'9', b'x', b'#', b'"', 0x80, 0xff] {
            let mut bytes = VALID.as_bytes().to_vec();
            bytes[at] = byte;
            check(&bytes);
        }
    }
}

#[test]
fn mutated_files() {
    arbtest(|u| {
        let mut bytes = VALID.as_bytes().to_vec();
        for _ in 0..u.int_in_range(1..=8)? {
            let at = u.choose_index(bytes.len())?;
            match u.int_in_range(0..=4)? {
                0 => bytes[at] = u.arbitrary()?,
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, u.arbitrary()?),
                3 => {
                    // A piece of the file somewhere else.
                    let start = u.choose_index(VALID.len())?;
                    let end = (start + u.int_in_range(0..=60)?).min(VALID.len());
                    bytes.splice(at..at, VALID.as_bytes()[start..end].iter().copied());
                }
                _ => {
                    let number = u.choose(&[
                        "-1",
                        "99999999999999999999",
                        "1e999",
                        "0x",
                        "nan",
                        "-",
                        "2147483648",
                    ])?;
                    bytes.splice(at..at, number.bytes());
                }
            }
            if bytes.is_empty() {
                return Ok(());
            }
        }
        check(&bytes);
        Ok(())
    });
}
