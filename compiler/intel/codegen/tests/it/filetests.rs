//! Runs `filetests/**/*.lir` and `filetests/**/*.ir`, one trial per file.
//!
//! A file consists of comments, a program, a line `; ----`, and the exact output.
//! `BLESS=1 cargo test -p intel --test it` writes the present output as the expected one.
//!
//! Each line `; test: COMMAND [SETTING…]` is a run. Commands on LIR:
//! * `passes NAME…` runs passes and prints the program, or `unchanged`.
//! * `allocate` allocates registers and prints the program and the counts.
//! * `encode` prints the machine code of an allocated program, and the rules that it breaks.
//!
//! On IR, `compile` prints the machine code of each kernel with the source lines of instructions
//! that have one, and the rules that it breaks.
//!
//! Settings: `gen=ivb,hsw` (or `all`), `disable-quirk=NAME[,NAME…]`, `disable-pass=NAME[,NAME…]`,
//! `width=SIMD8`, `backend=vec4`, `spill-all`, `no-spill`, `patch-vertices=N`, `samples=N`.
//! A file with several runs or generations has a heading for each different result. A file that
//! shows an error has a line `; expects: error`; other files do not pass, and are not blessed, with
//! an error in their output.

use intel_codegen::allocate::{self, Settings};
use intel_codegen::model::Model;
use intel_codegen::{CodegenOptions, Quirk, StageKey, encode, lir, passes};
use intel_isa::DevInfo;
use ir::{Pass, PassManager, PassOptions};
use libtest_mimic::{Failed, Trial};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use vocabulary::{Backend, Generation, LineTable, Width};

const SEPARATOR: &str = "; ----\n";
/// Header line of files that show an error.
const EXPECTS_ERROR: &str = "; expects: error";

/// Returns a trial for each file.
pub(crate) fn trials() -> Vec<Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    assert!(paths.len() >= 100, "filetests are missing");
    let trial = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || check(&path))
    };
    paths.into_iter().map(trial).collect()
}

/// Every optional and required pass has a file that runs it, every quirk one that disables it.
pub(crate) fn passes_and_quirks_have_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    let runs: Vec<String> = paths
        .iter()
        .flat_map(|path| {
            std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .filter(|line| line.starts_with("; test: "))
        .collect();
    let shown = |word: &str| runs.iter().any(|run| run.split([' ', '=', ',']).any(|w| w == word));
    for pass in passes::all() {
        assert!(shown(pass.name), "no file runs {}", pass.name);
    }
    // The compiler emits no half-float code in Align16 and so handles no `bdw-align16-hf`.
    for &quirk in Quirk::ALL.iter().filter(|&&quirk| quirk != Quirk::BdwAlign16Hf) {
        assert!(shown(quirk.name()), "no file disables {}", quirk.name());
    }
}

/// Adds the programs in `folder` to `out`, sorted.
fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "ir" || e == "lir") {
            out.push(path);
        }
    }
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let (source, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
    let got = output(source)?;
    let fails = got.lines().any(|line| line.starts_with("error: "));
    match (fails, source.lines().any(|line| line == EXPECTS_ERROR)) {
        (true, false) => return Err(format!("no line `{EXPECTS_ERROR}`, but:\n{got}").into()),
        (false, true) => return Err(format!("`{EXPECTS_ERROR}`, but:\n{got}").into()),
        _ => {}
    }
    if got == expected {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, format!("{source}{SEPARATOR}{got}"))?;
        return Ok(());
    }
    Err(format!("expected:\n{expected}\ngot:\n{got}").into())
}

/// The results of all runs, with headings if there are several.
fn output(source: &str) -> Result<String, String> {
    let mut results: Vec<(String, String)> = Vec::new();
    for line in source.lines().filter_map(|line| line.strip_prefix("; test: ")) {
        let run = Run::parse(line)?;
        let mut first = true;
        for device in &run.devices {
            let text =
                run.output(source, device).unwrap_or_else(|error| format!("error: {error}\n"));
            match results.last_mut() {
                Some((heading, last)) if !first && *last == text => {
                    *heading += &format!(",{}", device.name);
                }
                _ => results.push((format!("; {}gen={}", run.heading, device.name), text)),
            }
            first = false;
        }
    }
    match &results[..] {
        [] => Err("no line `; test: …`".to_owned()),
        [(_, text)] => Ok(text.clone()),
        _ => Ok(results.iter().map(|(heading, text)| format!("{heading}\n{text}")).collect()),
    }
}

/// One line `; test: …`.
struct Run {
    command: String,
    passes: Vec<String>,
    devices: Vec<&'static DevInfo>,
    options: CodegenOptions,
    no_spill: bool,
    key: StageKey,
    /// Settings that distinguish the runs of a file.
    heading: String,
}

impl Run {
    fn parse(line: &str) -> Result<Run, String> {
        let mut words = line.split_whitespace();
        let mut run = Run {
            command: words.next().ok_or("a command expected")?.to_owned(),
            passes: Vec::new(),
            devices: Vec::new(),
            options: CodegenOptions { paranoid: true, ..CodegenOptions::default() },
            no_spill: false,
            key: StageKey::default(),
            heading: String::new(),
        };
        for word in words {
            let (setting, value) = word.split_once('=').unwrap_or((word, ""));
            run.set(setting, value)?;
            if !matches!(setting, "gen") && !run.passes.iter().any(|name| name == word) {
                run.heading += &format!("{word} ");
            }
        }
        Ok(run)
    }

    fn set(&mut self, setting: &str, value: &str) -> Result<(), String> {
        let options = &mut self.options;
        match setting {
            "gen" => {
                let generations = Generation::parse_list(value).map_err(|e| e.to_string())?;
                self.devices = generations.iter().filter_map(|g| DevInfo::get(g.name())).collect();
            }
            "disable-quirk" => {
                let quirk = |name| Quirk::from_name(name).ok_or_else(|| format!("no quirk {name}"));
                options.disabled_quirks = value.split(',').map(quirk).collect::<Result<_, _>>()?;
            }
            "disable-pass" => {
                options.disabled_passes = value.split(',').map(str::to_owned).collect()
            }
            "width" => options.widths = vec![Width::from_name(value).ok_or("no such width")?],
            "backend" => {
                let backend = Backend::ALL.into_iter().find(|b| b.name() == value);
                options.backend = Some(backend.ok_or("no such back end")?);
            }
            "spill-all" => options.spill_all = true,
            "no-spill" => self.no_spill = true,
            "patch-vertices" => {
                self.key.patch_vertices = value.parse().map_err(|_| "a number expected")?
            }
            "samples" => self.key.samples = value.parse().map_err(|_| "a number expected")?,
            name if value.is_empty() => self.passes.push(name.to_owned()),
            _ => return Err(format!("unknown setting {setting}")),
        }
        Ok(())
    }

    fn output(&self, source: &str, device: &'static DevInfo) -> Result<String, String> {
        if self.command == "compile" {
            return self.compile(source, device);
        }
        let mut program = lir::parse(source).map_err(|e| e.to_string())?;
        let model = Model::new(device, self.options.disabled_quirks);
        match &self.command[..] {
            "passes" => self.run_passes(&mut program, &model),
            "allocate" => self.allocate(&mut program, &model),
            "encode" => encoded(&program, &model),
            command => Err(format!("unknown command `{command}`")),
        }
    }

    fn run_passes(&self, program: &mut lir::Program, model: &Model) -> Result<String, String> {
        let mut changed = false;
        let mut manager =
            PassManager::new(PassOptions { validate: false, ..PassOptions::default() });
        for name in &self.passes {
            let pass = passes::by_name(name).ok_or_else(|| format!("no pass {name}"))?;
            let pass = Pass { name: pass.name, run: |p: &mut lir::Program| (pass.run)(p, model) };
            changed |= manager.run_required(program, pass).map_err(|e| without_location(&e))?;
        }
        let text = program.to_string();
        let again = lir::parse(&text).map_err(|e| e.to_string())?;
        if (&again.insts, &again.vregs) != (&program.insts, &program.vregs) {
            return Err(format!("text is not read back as it was printed:\n{text}"));
        }
        Ok(if changed { text } else { "unchanged\n".to_owned() })
    }

    fn allocate(&self, program: &mut lir::Program, model: &Model) -> Result<String, String> {
        let settings = Settings {
            allow_spill: !self.no_spill,
            spill_all: self.options.spill_all,
            check: true,
            ..Settings::default()
        };
        let allocation =
            allocate::allocate(program, model, settings, 0).map_err(|e| e.to_string())?;
        let allocate::Allocation { spills, fills, scratch_bytes, max_live } = allocation;
        Ok(format!(
            "{program}; {spills} spills, {fills} fills, {scratch_bytes} bytes of scratch, {max_live} live\n"
        ))
    }

    fn compile(&self, source: &str, device: &'static DevInfo) -> Result<String, String> {
        let shader = ir::parse(source).map_err(|e| e.to_string())?;
        ir::validate(&shader).map_err(|e| e.to_string())?;
        let compiled = intel_codegen::compile(&shader, &self.key, device, &self.options)
            .map_err(|e| e.to_string())?;
        let mut text = String::new();
        for kernel in &compiled.kernels {
            let s = &kernel.statistics;
            let _ = writeln!(
                text,
                "{}: {} instructions, {} cycles, {} sends, {} registers, {} spills, {} fills",
                kernel.width, s.instructions, s.cycles, s.sends, s.registers, s.spills, s.fills
            );
            text += &assembly(device, &kernel.code, &kernel.lines)?;
        }
        Ok(text)
    }
}

/// The text of an error without the source location of an internal one.
fn without_location(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    match text.rsplit_once(" (compiler/") {
        Some((text, _)) if text.contains("internal compiler error") => text.to_owned(),
        _ => text,
    }
}

fn encoded(program: &lir::Program, model: &Model) -> Result<String, String> {
    let encoded = encode::encode(program, model).map_err(|e| without_location(&e))?;
    assembly(model.devinfo(), &encoded.code, &LineTable::default())
}

/// The instructions of machine code with the source lines that they have, `@12`, and the rules that
/// it breaks.
fn assembly(device: &'static DevInfo, code: &[u8], lines: &LineTable) -> Result<String, String> {
    let located = intel_isa::decode_program(device, code).map_err(|e| e.to_string())?;
    let mut text = String::new();
    for instruction in &located {
        let line = intel_isa::print_inst(device, &instruction.inst);
        let words: Vec<&str> = line.split_whitespace().collect();
        let line = lines.at(instruction.offset as u32).line();
        let line = line.map(|line| format!(" @{line}")).unwrap_or_default();
        let _ = writeln!(text, "  {}{line}", words.join(" "));
    }
    for violation in intel_isa::validate::validate_program(device, code) {
        // Programs in files are parts of programs.
        if violation.rule == "thread-end" {
            continue;
        }
        let _ = writeln!(
            text,
            "violation at {:#x}: {} ({})",
            violation.offset, violation.message, violation.rule
        );
    }
    Ok(text)
}
