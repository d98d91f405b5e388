//! Shaders that another compiler made for si, executed: `../shared/anchors` beside the workspace,
//! or the folder that `GCN_CORPUS` names. Skipped with a warning where the files are missing.
//!
//! Their results are not known here. The test checks that they run without breaking a rule of the
//! hardware, and that a lane's exports do not depend on the other lanes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use amd_isa::{Chip, Scalar};
use gcn_simulator::{ExecutionError, Export, Outcome, Program, Reason, Recorder, Wave};

/// Address of tables of descriptors; data is after.
const TABLE: u32 = 0x10_0000;
/// Address of data.
const DATA: u32 = 0x20_0000;

struct Shader {
    heading: String,
    text: String,
}

/// The shaders of the archive; `None` without it or without `tar` and `zstd`.
fn shaders() -> Option<Vec<Shader>> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/anchors");
    let folder = std::env::var_os("GCN_CORPUS").map_or_else(beside, PathBuf::from);
    let archive = folder.join("radeonsi-shaders-tahiti.tar.zst");
    let output = Command::new("tar").args(["--zstd", "-xOf"]).arg(&archive).output().ok();
    let Some(output) = output.filter(|output| output.status.success()) else {
        eprintln!("WARNING: no {} or no tar: foreign shaders did not run", archive.display());
        return None;
    };
    let mut shaders: Vec<Shader> = Vec::new();
    let mut part = 0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            shaders.push(Shader { heading: heading.to_string(), text: String::new() });
        }
        part += usize::from(line.starts_with("# "));
        let Some(shader) = shaders.last_mut().filter(|_| !line.starts_with([';', '#'])) else {
            continue;
        };
        let text = line.split(" ; ").next().unwrap_or(line);
        let text = text.replace(".LBB", "BB").replace("BB", &format!("P{part}_"));
        shader.text.push_str(&text);
        shader.text.push('\n');
    }
    shaders.retain(|shader| !shader.text.trim().is_empty());
    Some(shaders)
}

/// Memory with tables of descriptors of buffers, and data: small integers, which are denormals as
/// singles, and singles by turns.
fn host() -> Recorder {
    let mut table = Vec::new();
    for entry in 0..4096_u32 {
        table.extend([DATA + 256 * (entry % 64), 0, 4096, 0x27fac]);
    }
    let data: Vec<u32> = (0..0x8000_u32)
        .map(|index| if index % 3 == 0 { index % 7 } else { (index as f32 * 0.25).to_bits() })
        .collect();
    let bytes = |dwords: Vec<u32>| dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect();
    let mut host = Recorder::default();
    host.memory.push((u64::from(TABLE), bytes(table)));
    host.memory.push((u64::from(DATA), bytes(data)));
    // Pointers of 0, where a table is not bound.
    host.memory.push((0, vec![0; 0x1_0000]));
    let weight = |channel: usize, lane: usize| {
        [0.5 * channel as f32, 1.0 + lane as f32, 0.25].map(f32::to_bits)
    };
    for _ in 0..32 {
        host.parameters.push(std::array::from_fn(|channel| {
            std::array::from_fn(|lane| weight(channel, lane / 4))
        }));
    }
    host
}

/// Registers as the driver has them: pointers to tables in the user registers, descriptors of
/// vertex buffers from s12 on.
fn wave(heading: &str) -> Wave {
    let mut wave = Wave::new();
    wave.scalar[..4].fill(TABLE);
    if heading.starts_with("Vertex") {
        wave.scalar[4..8].fill(0);
        wave.scalar[8] = TABLE;
        for buffer in 0..5 {
            // Stride 16, 64 records, four singles.
            let first = 12 + 4 * buffer;
            let words = [DATA + 0x400 * buffer as u32, 16 << 16, 64, 0x77fac];
            wave.scalar[first..first + 4].copy_from_slice(&words);
        }
    }
    let fragment = heading.starts_with("Pixel");
    for register in 0..32 {
        for lane in 0..64 {
            let coordinate = (lane as f32 * 0.125 + register as f32).to_bits();
            wave.vector[register][lane] = if fragment { coordinate } else { lane as u32 };
        }
    }
    wave.local = vec![0; 32 << 10];
    wave
}

/// Executes a shader on some lanes.
fn execute(
    program: &Program,
    heading: &str,
    lanes: u64,
    others: u32,
) -> Result<Vec<Export>, ExecutionError> {
    let mut wave = wave(heading);
    wave.set_pair(Scalar::EXEC, lanes);
    for register in &mut wave.vector {
        for (lane, value) in register.iter_mut().enumerate() {
            if lanes >> lane & 1 == 0 {
                *value = others;
            }
        }
    }
    let mut host = host();
    for _ in 0..100 {
        if wave.run(program, &mut host, 100_000)? == Outcome::Done {
            break;
        }
    }
    Ok(host.exports)
}

/// Exported values of the lanes that export.
fn visible(exports: &[Export], lanes: u64) -> Vec<(u8, usize, usize, u32)> {
    let mut values = Vec::new();
    for export in exports {
        for (channel, registers) in export.channels.iter().enumerate() {
            let Some(registers) = registers else { continue };
            for (lane, value) in registers.iter().enumerate() {
                if (export.exec & lanes) >> lane & 1 != 0 {
                    values.push((export.target, channel, lane, *value));
                }
            }
        }
    }
    values
}

#[test]
fn foreign_shaders_run() {
    let Some(shaders) = shaders() else { return };
    let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut ran = BTreeMap::<&str, usize>::new();
    let mut dependent = Vec::new();
    for shader in &shaders {
        let Shader { heading, text } = shader;
        let Ok(words) = amd_isa::assemble(Chip::Si, text) else {
            reasons.entry("symbols".to_string()).or_default().0 += 1;
            continue;
        };
        let program = Program::new(Chip::Si, &words).expect("instructions");
        let exports = match execute(&program, heading, u64::MAX, 0) {
            Ok(exports) => exports,
            Err(error) => {
                let reason = match &error.reason {
                    Reason::Memory { .. } => "memory".to_string(),
                    Reason::StepLimit(_) => "step limit".to_string(),
                    other => other.to_string(),
                };
                let entry = reasons.entry(reason).or_default();
                *entry = (entry.0 + 1, format!("{heading}: {error}"));
                continue;
            }
        };
        *ran.entry(heading).or_default() += 1;
        // Half of the quads, with patterns in the other lanes' registers.
        let lanes = 0x0ff0_f00f_0ff0_00ff;
        let part = execute(&program, heading, lanes, 0xbad0_bad0).expect("it ran before");
        if visible(&part, lanes) != visible(&exports, lanes) {
            dependent.push(heading);
        }
    }
    let total: usize = ran.values().sum();
    println!("{total} of {} foreign shaders ran: {ran:?}", shaders.len());
    println!("{} depend on other lanes: {dependent:?}", dependent.len());
    for (reason, (count, example)) in &reasons {
        println!("{count} × {reason}: {example}");
    }
    let broken: Vec<_> = reasons
        .keys()
        .filter(|reason| reason.contains("before") || reason.contains("hazard"))
        .collect();
    assert!(broken.is_empty(), "{broken:?}");
    assert!(total >= 300, "{total} ran");
    assert!(dependent.len() * 20 < total, "{} of {total} depend", dependent.len());
}
