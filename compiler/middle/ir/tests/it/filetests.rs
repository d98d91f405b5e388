//! Runs `filetests/**/*.ir`. A file is a command line in a comment, a shader, a line `; ----`, and
//! the expected text. `BLESS=1 cargo test -p ir --test it` writes the present output as expected.
//!
//! Commands:
//! * `; test: passes NAME…` runs the passes, validating after each, and prints the shader, with the
//!   source lines of instructions that have one.
//!   `opt_constant_inputs`, `opt_copied_inputs`, `opt_unread_outputs` and, for outputs,
//!   `lower_varyings` read the neighboring stage, which follows the shader after a line
//!   `; previous:` or `; next:`.
//! * `; test: validate` prints the failures, one a line.
//! * `; test: eval LANES` runs the shader and prints its outputs as hexadecimal dwords. Inputs come
//!   from lines `; in LANE SLOT WORD…`, the memory of block 0 from `; ubo WORD…`; words are
//!   hexadecimal, or floats with a point.
//! * `; test: values` does the same for one lane. Then it replaces every scalar load of block 0 by
//!   the word it reads, folds all operations and requires the same outputs. Expected values are
//!   worked out by hand: do not bless them.
//!
//! A file that shows an error has a line `; expects: error`; other files do not pass, and are not
//! blessed, with an error in their output.

use ir::eval::{EvalOptions, Space, TestServices, run};
use ir::passes::{lower_varyings, opt_constant_inputs, opt_copied_inputs, opt_unread_outputs};
use ir::varying_places::VaryingPlaces;
use ir::varyings::{InputReads, OutputConstants, OutputCopies};
use ir::{PassManager, PassOptions, Shader, Slot, parse, passes, validate};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const SEPARATOR: &str = "; ----\n";

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
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
    let outcome =
        run(shader, lanes, &mut services, EvalOptions::default()).map_err(|e| e.to_string())?;
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

/// Returns the results of the shader, by the evaluator and by constant folding.
fn values(shader: &Shader, source: &str) -> Result<String, String> {
    let evaluated = evaluate(shader, source, 1)?;
    let mut folded = parse(&with_constants(source)?).map_err(|e| e.to_string())?;
    let mut manager = PassManager::new(PassOptions { validate: true, ..PassOptions::default() });
    for name in ["opt_constant_folding", "opt_dce"] {
        let pass = passes::by_name(name).ok_or_else(|| format!("no pass {name}"))?;
        manager.run(&mut folded, pass).map_err(|e| e.to_string())?;
    }
    let text = folded.to_string();
    let left =
        text.lines().find(|l| l.contains(" = ") && !l.contains("= const") && !l.contains("slot="));
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

/// Runs a pass by name. The link-time passes need the neighboring stage.
fn run_pass(
    manager: &mut PassManager<'_, Shader>,
    shader: &mut Shader,
    name: &str,
    neighbor: Option<&str>,
) -> Result<(), String> {
    let neighbor = || parse(neighbor.ok_or("no neighboring stage")?).map_err(|e| e.to_string());
    let outcome = match name {
        "opt_constant_inputs" => {
            let constants = OutputConstants::of(&neighbor()?);
            manager.run(shader, ir::pass!(opt_constant_inputs(&constants)))
        }
        "opt_copied_inputs" => {
            let copies = OutputCopies::of(&neighbor()?);
            manager.run(shader, ir::pass!(opt_copied_inputs(&copies)))
        }
        "lower_varyings" => {
            // The neighbor is the fragment shader, unless this one is.
            let is_fragment = shader.info.stage == ir::Stage::Fragment;
            let consumer = if is_fragment { shader.clone() } else { neighbor()? };
            let places = VaryingPlaces::of(&consumer).ok_or("no slot less")?;
            manager.run(shader, ir::pass!(lower_varyings(&places)))
        }
        "opt_unread_outputs" => {
            let reads = InputReads::of(&neighbor()?);
            manager.run(shader, ir::pass!(opt_unread_outputs(&reads)))
        }
        _ => {
            let pass = passes::by_name(name).ok_or_else(|| format!("no pass {name}"))?;
            manager.run(shader, pass)
        }
    };
    outcome.map(drop).map_err(|e| e.to_string())
}

fn output(source: &str) -> Result<String, String> {
    let (source, neighbor) = ["; previous:\n", "; next:\n"]
        .iter()
        .find_map(|separator| source.split_once(separator))
        .map_or((source, None), |(source, neighbor)| (source, Some(neighbor)));
    let command =
        source.lines().find_map(|l| l.strip_prefix("; test: ")).ok_or("no `; test:` line")?;
    let mut shader = parse(source).map_err(|e| e.to_string())?;
    let mut words = command.split_whitespace();
    match words.next() {
        Some("passes") => {
            validate(&shader).map_err(|e| e.to_string())?;
            let mut manager =
                PassManager::new(PassOptions { validate: true, ..PassOptions::default() });
            for name in words {
                run_pass(&mut manager, &mut shader, name, neighbor)?;
            }
            Ok(format!("{shader:#}"))
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
        let result = output(source);
        let (fails, may_fail) =
            (result.is_err(), source.lines().any(|line| line == "; expects: error"));
        let got = result.unwrap_or_else(|e| format!("error: {e}\n"));
        if fails != may_fail {
            let what = if fails { "no line" } else { "but there is a line" };
            failures.push(format!("{}:\n{got}({what} `; expects: error`)", path.display()));
            continue;
        }
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

/// Every pass file has a filetest that runs its pass.
#[test]
fn every_pass_has_a_filetest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    files(&root.join("filetests/passes"), &mut paths);
    let commands: Vec<String> =
        paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let runs = |name: &str| {
        let command = |text: &str| {
            text.lines().find_map(|l| l.strip_prefix("; test: passes ").map(str::to_owned))
        };
        commands
            .iter()
            .filter_map(|text| command(text))
            .any(|c| c.split(' ').any(|word| word == name))
    };
    let names = std::fs::read_dir(root.join("src/passes")).unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".rs")?.to_owned();
        let is_pass = ["opt_", "lower_"].iter().any(|prefix| name.starts_with(prefix));
        (is_pass && !name.ends_with("_tests")).then_some(name)
    });
    let missing: Vec<String> = names.filter(|name| !runs(name)).collect();
    assert!(missing.is_empty(), "passes without a filetest: {missing:?}");
}
