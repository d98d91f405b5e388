//! Parses every GLSL section of the installed piglit corpus: bytes to syntax tree, in MB/s on one
//! core.
//!
//! `cargo bench -p glsl [-- DIRECTORY]`. Sections are cut out with a simple splitter of its own, so
//! that the measurement needs no other crate. Every extension that the corpus names counts as
//! supported.

use glsl_syntax::ast::{Profile, Version};
use glsl_syntax::{Environment, FrontEnd, IncludeResolver, NamedStrings};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const INSTALLED: &str = "/usr/lib/x86_64-linux-gnu/piglit";

/// One shader of one file.
struct Section {
    file: usize,
    stage: String,
    version: Version,
    text: Vec<u8>,
    includes: Option<NamedStrings>,
}

fn main() {
    let root =
        std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or(INSTALLED.to_owned());
    let mut files = Vec::new();
    collect(Path::new(&root), &mut files);
    files.sort();
    if files.is_empty() {
        println!("no .shader_test files under {root}: piglit is not installed");
        return;
    }
    let mut extensions = BTreeSet::new();
    let mut sections = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let Ok(bytes) = std::fs::read(file) else { continue };
        split(i, &bytes, &mut sections, &mut extensions);
    }
    let env = Environment {
        extensions: Arc::new(extensions.into_iter().collect()),
        ..Environment::all_versions()
    };
    let bytes: usize = sections.iter().map(|s| s.text.len()).sum();
    let mut front_end = FrontEnd::new(env);
    let mut best = Duration::MAX;
    for round in 0..3 {
        let (elapsed, nodes, failures) = run(&mut front_end, &mut sections);
        best = best.min(elapsed);
        if round == 0 {
            println!(
                "{} files, {} shaders, {bytes} bytes, {nodes} expressions",
                files.len(),
                sections.len()
            );
            for (section, message) in &failures {
                let section = &sections[*section];
                println!("{} [{}]: {message}", files[section.file].display(), section.stage);
            }
            println!("{} shaders do not parse", failures.len());
        }
    }
    println!("{:.1} MB/s", bytes as f64 / 1e6 / best.as_secs_f64());
}

/// Parses all sections; the time, the number of expressions, the first error of each that fails.
fn run(
    front_end: &mut FrontEnd,
    sections: &mut [Section],
) -> (Duration, usize, Vec<(usize, String)>) {
    let mut failures = Vec::new();
    let mut nodes = 0;
    let start = Instant::now();
    for (i, section) in sections.iter_mut().enumerate() {
        front_end.set_default_version(section.version);
        if let Some(strings) = &section.includes {
            let strings: Box<dyn IncludeResolver + Send + Sync> = Box::new(strings.clone());
            front_end.set_includes(Some(strings));
        }
        match front_end.parse(&[&section.text]) {
            Ok(unit) => {
                nodes += unit.exprs.len();
                front_end.recycle(unit);
            }
            Err(errors) => {
                failures.push((i, errors.first().map(ToString::to_string).unwrap_or_default()))
            }
        }
    }
    (start.elapsed(), nodes, failures)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "shader_test") {
            files.push(path);
        }
    }
}

/// Cuts a file into its sections; keeps the GLSL ones.
fn split(
    file: usize,
    bytes: &[u8],
    sections: &mut Vec<Section>,
    extensions: &mut BTreeSet<String>,
) {
    let mut version = Version::default();
    let mut strings = NamedStrings::default();
    let mut has_strings = false;
    let first = sections.len();
    let mut header = String::new();
    let mut body: Vec<u8> = Vec::new();
    let lines = bytes.split_inclusive(|&b| b == b'\n').chain(std::iter::once(&b"[end]"[..]));
    for line in lines {
        if line.first() != Some(&b'[') {
            body.extend_from_slice(line);
            continue;
        }
        let text = String::from_utf8_lossy(&body);
        let glsl = header.strip_suffix(" shader").is_some_and(|stage| {
            matches!(
                stage,
                "vertex"
                    | "fragment"
                    | "geometry"
                    | "compute"
                    | "tessellation control"
                    | "tessellation evaluation"
            )
        });
        match header.as_str() {
            _ if glsl => {
                extensions.extend(text.lines().filter_map(extension_name));
                let text = std::mem::take(&mut body);
                sections.push(Section {
                    file,
                    stage: header.clone(),
                    version,
                    text,
                    includes: None,
                });
            }
            "require" => version = text.lines().find_map(required_version).unwrap_or(version),
            "shader include" => {
                let (path, rest) = text.split_once('\n').unwrap_or_default();
                has_strings |= strings.insert(path, rest.as_bytes());
            }
            "shader include paths" => {
                text.lines().filter(|l| l.starts_with('/')).for_each(|l| {
                    strings.add_search_path(l);
                });
            }
            _ => {}
        }
        body.clear();
        header = String::from_utf8_lossy(line).trim().trim_matches(['[', ']']).to_owned();
    }
    if has_strings {
        sections[first..].iter_mut().for_each(|s| s.includes = Some(strings.clone()));
    }
}

/// `GLSL >= 1.30` or `GLSL ES >= 3.00`
fn required_version(line: &str) -> Option<Version> {
    let rest = line.strip_prefix("GLSL ")?;
    let es = rest.starts_with("ES");
    let number = rest.split_whitespace().last()?;
    let (major, minor) = number.split_once('.')?;
    let minor: u16 =
        if minor.len() == 1 { minor.parse::<u16>().ok()? * 10 } else { minor.parse().ok()? };
    let number = major.parse::<u16>().ok()? * 100 + minor;
    Some(Version { number, es, profile: if es { Profile::Es } else { Profile::None }, span: None })
}

fn extension_name(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("extension")?;
    let name = rest.split(':').next()?.trim();
    name.starts_with("GL_").then(|| name.to_owned())
}
