//! Runner of `filetests/**/*.eu`.
//!
//! A file is a header, assembly text, a line `; ----` and the expected output. Lines that begin
//! with `;` are comments. The header `; test: COMMAND gen=LIST` names a command and devices (`all`
//! or names separated by commas). Devices with equal output share a section `gen NAMES`. `BLESS=1
//! cargo test -p eu --test it` writes the output as expected.
//!
//! Commands:
//! * `validate`: one instruction per line; prints for each line `valid` or the broken rules.
//! * `program`: the whole text is one program; prints its violations by byte offset.
//! * `assemble`: prints the bytes and the printed text of each instruction, or the error.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use intel_isa::{DevInfo, assemble, decode_program, print_inst, validate_inst, validate_program};
use libtest_mimic::{Failed, Trial};

const SEPARATOR: &str = "; ----\n";

/// Result of one device: the output, or an error of the file.
type Output = Result<String, String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of filetests").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "eu") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// One trial per file.
pub(crate) fn trials() -> Vec<Trial> {
    let root = root();
    let name = |path: &Path| {
        path.strip_prefix(&root).unwrap_or(path).with_extension("").display().to_string()
    };
    files(&root).into_iter().map(|path| Trial::test(name(&path), move || run(&path))).collect()
}

/// The lines of the text that are not comments, with their numbers from 1.
fn code(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = source.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(';'))
}

fn validate(devinfo: &'static DevInfo, source: &str) -> Output {
    let mut out = String::new();
    for (number, line) in code(source) {
        let bytes = match assemble(devinfo, line) {
            Ok(bytes) => bytes,
            Err(error) => {
                let _ = writeln!(out, "{number}: does not assemble: {}", error.message);
                continue;
            }
        };
        let insts =
            decode_program(devinfo, &bytes).map_err(|error| format!("line {number}: {error}"))?;
        let broken: Vec<_> =
            insts.iter().flat_map(|located| validate_inst(devinfo, &located.inst)).collect();
        if broken.is_empty() {
            let _ = writeln!(out, "{number}: valid");
        }
        for (rule, message) in broken {
            let _ = writeln!(out, "{number}: {rule}: {message}");
        }
    }
    Ok(out)
}

/// The text without its comments, line by line.
fn program_text(source: &str) -> String {
    let keep = |line: &str| {
        if line.trim_start().starts_with(';') { String::new() } else { line.to_owned() }
    };
    source.lines().map(|line| keep(line) + "\n").collect()
}

fn program(devinfo: &'static DevInfo, source: &str) -> Output {
    let bytes = match assemble(devinfo, &program_text(source)) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(format!("{}:{}: {}\n", error.line, error.column, error.message)),
    };
    let violations = validate_program(devinfo, &bytes);
    if violations.is_empty() {
        return Ok("valid\n".to_owned());
    }
    let line = |v: &intel_isa::Violation| format!("{:#06x}: {}: {}\n", v.offset, v.rule, v.message);
    Ok(violations.iter().map(line).collect())
}

fn assembled(devinfo: &'static DevInfo, source: &str) -> Output {
    let bytes = match assemble(devinfo, &program_text(source)) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(format!("{}:{}: {}\n", error.line, error.column, error.message)),
    };
    let mut out = String::new();
    for located in decode_program(devinfo, &bytes).map_err(|error| error.to_string())? {
        let end = located.offset + located.inst.len_bytes();
        let hex: Vec<String> =
            bytes[located.offset..end].iter().map(|byte| format!("{byte:02x}")).collect();
        let words: Vec<String> =
            print_inst(devinfo, &located.inst).split_whitespace().map(str::to_owned).collect();
        let _ = writeln!(out, "{}\n  {}", hex.join(" "), words.join(" "));
    }
    Ok(out)
}

/// The devices of `gen=LIST`.
fn devices(list: &str) -> Result<Vec<&'static DevInfo>, String> {
    if list == "all" {
        return Ok(DevInfo::all().iter().collect());
    }
    list.split(',')
        .map(|name| DevInfo::get(name).ok_or_else(|| format!("no device `{name}`")))
        .collect()
}

fn output(source: &str) -> Output {
    let header =
        source.lines().find_map(|line| line.strip_prefix("; test: ")).ok_or("no line `; test:`")?;
    let (command, list) = header.split_once(" gen=").ok_or("no `gen=` in the header")?;
    let execute = match command {
        "validate" => validate,
        "program" => program,
        "assemble" => assembled,
        other => return Err(format!("no command `{other}`")),
    };
    let mut sections: Vec<(Vec<&str>, String)> = Vec::new();
    for devinfo in devices(list.trim())? {
        let text = execute(devinfo, source)?;
        match sections.iter_mut().find(|(_, other)| *other == text) {
            Some((names, _)) => names.push(devinfo.name),
            None => sections.push((vec![devinfo.name], text)),
        }
    }
    Ok(sections
        .into_iter()
        .map(|(names, text)| format!("gen {}\n{text}", names.join(" ")))
        .collect())
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let (source, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
    let got = output(source)?;
    if got == expected {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, format!("{source}{SEPARATOR}{got}"))?;
        return Ok(());
    }
    Err(format!("expected:\n{expected}\ngot:\n{got}\nBLESS=1 accepts the output").into())
}

/// Rules that text cannot break; unit tests show them.
const INEXPRESSIBLE: [&str; 4] =
    ["address-subregister", "immediate-64bit", "immediate-last", "writemask-empty"];

/// Every rule has a file `validate/RULE.eu`, with an instruction that breaks it and one that is
/// valid, or `program/RULE.eu`.
pub(crate) fn every_rule_has_a_file() -> Result<(), Failed> {
    let mut missing = BTreeSet::new();
    for rule in intel_isa::validate::rule_names() {
        let [line, program] = ["validate", "program"].map(|folder| {
            fs::read_to_string(root().join(folder).join(rule).with_extension("eu"))
                .unwrap_or_default()
        });
        let broken = format!(": {rule}: ");
        let shown = program.contains(&broken)
            || line.contains(": valid\n")
                && (line.contains(&broken) || INEXPRESSIBLE.contains(&rule));
        if !shown {
            missing.insert(rule);
        }
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("rules without a file: {missing:?}").into())
    }
}
