//! Runner of `filetests/**/*.gcn`.
//!
//! A file is a header, assembly text, a line `; ----` and the expected output. Lines that begin
//! with `;` are comments. The header `; test: COMMAND gen=LIST` names a command and chips; it may
//! go on with `stage=`, `scalars=` and `vectors=`. Chips with equal output share a section.
//! `BLESS=1 cargo test -p gcn --test it` writes the output as expected.
//!
//! Commands:
//! * `validate`: one instruction per line; prints for each line `valid` or the broken rules.
//! * `program`: programs that lines `; ====` separate; prints the violations of each by byte
//!   offset.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use amd_isa::{
    Chip, HardwareStage, ProgramFacts, assemble, assemble_instructions, rule_names, validate,
    validate_instruction,
};
use libtest_mimic::{Failed, Trial};

const SEPARATOR: &str = "; ----\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of filetests").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "gcn") {
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

fn lines(chip: Chip, facts: &ProgramFacts, source: &str) -> String {
    let mut out = String::new();
    for (index, line) in source.lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with(';') {
            continue;
        }
        let number = index + 1;
        let broken = match assemble_instructions(chip, line) {
            Ok(instructions) => instructions
                .iter()
                .flat_map(|instruction| validate_instruction(chip, facts, instruction))
                .collect::<Vec<_>>(),
            Err(error) => {
                let _ = writeln!(out, "{number}: does not assemble: {}", error.message);
                continue;
            }
        };
        if broken.is_empty() {
            let _ = writeln!(out, "{number}: valid");
        }
        for violation in broken {
            let _ = writeln!(out, "{number}: {}: {}", violation.rule, violation.message);
        }
    }
    out
}

fn programs(chip: Chip, facts: &ProgramFacts, source: &str) -> String {
    let mut out = String::new();
    for (index, text) in source.split("; ====\n").enumerate() {
        let number = index + 1;
        let words = match assemble(chip, text) {
            Ok(words) => words,
            Err(error) => {
                let _ = writeln!(out, "{number}: does not assemble: {error}");
                continue;
            }
        };
        let broken = validate(chip, facts, &words);
        if broken.is_empty() {
            let _ = writeln!(out, "{number}: valid");
        }
        for violation in broken {
            let _ = writeln!(out, "{number}: {violation}");
        }
    }
    out
}

fn output(source: &str) -> Result<String, String> {
    let header =
        source.lines().find_map(|line| line.strip_prefix("; test: ")).ok_or("no line `; test:`")?;
    let mut words = header.split_whitespace();
    let command = words.next().ok_or("no command")?;
    let mut chips = Vec::new();
    let mut facts = ProgramFacts::largest(None);
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("no value: {word}"))?;
        let unknown = || format!("unknown: {word}");
        match name {
            "gen" => {
                for name in value.split(',') {
                    chips.push(Chip::get(name).ok_or_else(unknown)?);
                }
            }
            "stage" => facts.stage = Some(HardwareStage::get(value).ok_or_else(unknown)?),
            "scalars" => facts.scalars = value.parse().map_err(|_| unknown())?,
            "vectors" => facts.vectors = value.parse().map_err(|_| unknown())?,
            _ => return Err(unknown()),
        }
    }
    let execute = match command {
        "validate" => lines,
        "program" => programs,
        other => return Err(format!("no command `{other}`")),
    };
    let mut sections: Vec<(Vec<&str>, String)> = Vec::new();
    for chip in chips {
        let text = execute(chip, &facts, source);
        match sections.iter_mut().find(|(_, other)| *other == text) {
            Some((names, _)) => names.push(chip.name()),
            None => sections.push((vec![chip.name()], text)),
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

/// Every rule has a file `validate/RULE.gcn` or `program/RULE.gcn`, which breaks it and has
/// something valid, on every chip of the header.
pub(crate) fn every_rule_has_a_file() -> Result<(), Failed> {
    let mut missing = BTreeSet::new();
    for rule in rule_names() {
        let shown = ["validate", "program"].iter().any(|folder| {
            let text = fs::read_to_string(root().join(folder).join(rule).with_extension("gcn"))
                .unwrap_or_default();
            let (_, expected) = text.split_once(SEPARATOR).unwrap_or_default();
            let sections: Vec<&str> = expected.split("gen ").skip(1).collect();
            let broken = format!(": {rule}: ");
            !sections.is_empty()
                && sections.iter().any(|text| text.contains(&broken) && text.contains(": valid\n"))
        });
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
