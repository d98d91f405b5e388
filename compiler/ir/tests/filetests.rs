//! Runs `filetests/**/*.ir`. A file is a command line in a comment, a shader, a line `; ----`, and the expected
//! text. `BLESS=1 cargo test -p ir --test filetests` writes the present output as expected.
//!
//! Commands:
//! * `; test: passes NAME…` runs the passes, validating after each, and prints the shader.
//! * `; test: validate` prints the failures, one a line.
//! * `; test: eval LANES` runs the shader and prints its outputs as hexadecimal dwords. Inputs come from lines
//!   `; in LANE SLOT WORD…`, block 0's memory from `; ubo WORD…`; words are hexadecimal or floats with a point.
//! * `; test: values` does the same for one lane and then, with every scalar load of block 0 replaced by the word it reads, folds all
//!   operations and demands the same outputs. What is expected is worked out by hand: do not bless it.

use ir::eval::{EvalOptions, Space, TestServices, run};
use ir::{PassManager, PassOptions, Shader, Slot, parse, passes, validate};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const SEPARATOR: &str = "; ----\n";

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "ir") {
            out.push(path);
        }
    }
}

fn word(text: &str) -> Result<u32, String> {
    if text.contains('.') {
        return text.parse().map(f32::to_bits).map_err(|_| format!("no float: {text}"));
    }
    u32::from_str_radix(text.trim_start_matches("0x"), 16).map_err(|_| format!("no number: {text}"))
}

fn evaluate(shader: &Shader, source: &str, lanes: usize) -> Result<String, String> {
    let mut services = TestServices::default();
    for line in source.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some(";"), Some("in")) => {
                let lane = words.next().and_then(|w| w.parse().ok()).ok_or("lane expected")?;
                let slot = words.next().and_then(Slot::from_name).ok_or("slot expected")?;
                let values: Vec<u32> = words.map(word).collect::<Result<_, _>>()?;
                services.set_input(lane, slot, &values);
            }
            (Some(";"), Some("ubo")) => {
                let values: Vec<u32> = words.map(word).collect::<Result<_, _>>()?;
                let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                services.memory.insert(Space::Ubo(0), bytes);
            }
            _ => {}
        }
    }
    let outcome = run(shader, lanes, &mut services, EvalOptions::default()).map_err(|e| e.to_string())?;
    let mut text = String::new();
    for ((lane, io), value) in &services.outputs {
        let component = ["x", "y", "z", "w"][usize::from(io.component)];
        let _ = writeln!(text, "{lane} {}.{component} = {value:#010x}", io.slot);
    }
    for (lane, _) in outcome.discarded.iter().enumerate().filter(|(_, d)| **d) {
        let _ = writeln!(text, "{lane} discarded");
    }
    Ok(text)
}

/// The source with each scalar 32-bit load of block 0 as the constant that `; ubo` has there.
fn with_constants(source: &str) -> Result<String, String> {
    let words = source.lines().find_map(|l| l.strip_prefix("; ubo ")).unwrap_or_default();
    let words: Vec<u32> = words.split_whitespace().map(word).collect::<Result<_, _>>()?;
    let replaced = |line: &str| {
        let (target, arguments) = line.split_once("load_ubo")?;
        let base = arguments.split_whitespace().find_map(|w| w.strip_prefix("base="))?;
        let word = words.get(base.parse::<usize>().ok()? / 4)?;
        Some(format!("{target}const {word:#x}"))
    };
    let lines = source.lines().map(|line| replaced(line).unwrap_or_else(|| line.to_owned()) + "\n");
    Ok(lines.collect())
}

/// What the shader computes, by the evaluator and by constant folding.
fn values(shader: &Shader, source: &str) -> Result<String, String> {
    let evaluated = evaluate(shader, source, 1)?;
    let mut folded = parse(&with_constants(source)?).map_err(|e| e.to_string())?;
    let mut manager = PassManager::new(PassOptions { validate: true, ..PassOptions::default() });
    for name in ["opt_constant_folding", "opt_dce"] {
        let pass = passes::by_name(name).ok_or_else(|| format!("no pass {name}"))?;
        manager.run(&mut folded, pass).map_err(|e| e.to_string())?;
    }
    let text = folded.to_string();
    let left = text.lines().find(|l| l.contains(" = ") && !l.contains("= const") && !l.contains("slot="));
    if let Some(line) = left {
        return Err(format!("not folded: {}", line.trim()));
    }
    let constant = evaluate(&folded, "", 1)?;
    if constant == evaluated {
        Ok(evaluated)
    } else {
        Err(format!("folded:\n{constant}evaluated:\n{evaluated}"))
    }
}

fn output(source: &str) -> Result<String, String> {
    let command = source.lines().find_map(|l| l.strip_prefix("; test: ")).ok_or("no `; test:` line")?;
    let mut shader = parse(source).map_err(|e| e.to_string())?;
    let mut words = command.split_whitespace();
    match words.next() {
        Some("passes") => {
            validate(&shader).map_err(|e| e.to_string())?;
            let mut manager = PassManager::new(PassOptions { validate: true, ..PassOptions::default() });
            for name in words {
                let pass = passes::by_name(name).ok_or_else(|| format!("no pass {name}"))?;
                manager.run(&mut shader, pass).map_err(|e| e.to_string())?;
            }
            Ok(shader.to_string())
        }
        Some("validate") => Ok(match validate(&shader) {
            Ok(()) => "valid\n".to_owned(),
            Err(error) => error.failures.iter().map(|f| format!("{f}\n")).collect(),
        }),
        Some("values") => {
            validate(&shader).map_err(|e| e.to_string())?;
            values(&shader, source)
        }
        Some("eval") => {
            validate(&shader).map_err(|e| e.to_string())?;
            let lanes = words.next().and_then(|w| w.parse().ok()).unwrap_or(1);
            evaluate(&shader, source, lanes)
        }
        _ => Err(format!("unknown command `{command}`")),
    }
}

#[test]
fn filetests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    assert!(paths.len() >= 10, "filetests are missing");
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let (source, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
        let got = output(source).unwrap_or_else(|e| format!("error: {e}\n"));
        if got == expected {
            continue;
        }
        if bless {
            std::fs::write(&path, format!("{source}{SEPARATOR}{got}")).unwrap();
        } else {
            failures.push(format!("{}:\n{got}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
