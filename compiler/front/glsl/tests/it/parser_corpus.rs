//! Census of the shaders that piglit compiles alone (`glslparsertest`): each must be accepted or
//! rejected as its comment says, except those that `corpus/differences.txt` lists with the reason.
//! Without an installed piglit (Debian's package) the test prints a message and passes.
//! `PIGLIT_FILTER` takes those whose path contains a text.

use crate::support::piglit::{PIGLIT, piglit_files};
use glsl::{CompileOptions, compile};
use program::{Api, Capabilities, CapabilityTable, LinkOptions, Stage, TypeTable};
use std::collections::BTreeMap;
use std::path::Path;

/// Groups of lines: a reason after `#`, then paths.
const DIFFERENCES: &str = include_str!("../corpus/differences.txt");

fn stage(path: &Path) -> Option<Stage> {
    Some(match path.extension()?.to_str()? {
        "vert" => Stage::Vertex,
        "tesc" => Stage::TessControl,
        "tese" => Stage::TessEval,
        "geom" => Stage::Geometry,
        "frag" => Stage::Fragment,
        "comp" => Stage::Compute,
        _ => return None,
    })
}

/// Requirements in the comment at the head of a file.
struct Expectation {
    passes: bool,
    version: u16,
    es: bool,
    links: bool,
    with: Vec<String>,
    without: Vec<String>,
}

/// Reads the comment; `None` for files without one, and for those that need an extension and need
/// it not to be there.
fn expectation(text: &str) -> Option<Expectation> {
    let value = |key: &str| Some(text.split_once(key)?.1.lines().next()?.trim().to_owned());
    let passes = value("expect_result:")?.starts_with("pass");
    let version = value("glsl_version:")?;
    let (number, es) = (version.get(..4)?, version.contains("es"));
    let number = number.replace('.', "").parse().ok()?;
    let names = value("require_extensions:").unwrap_or_default();
    let (without, with): (Vec<&str>, Vec<&str>) =
        names.split_whitespace().partition(|name| name.starts_with('!'));
    let without: Vec<String> = without.iter().map(|name| name[1..].to_owned()).collect();
    let with: Vec<String> = with.into_iter().map(str::to_owned).collect();
    if without.iter().any(|name| with.contains(name)) {
        return None;
    }
    let links = value("check_link:").is_some_and(|v| v.starts_with("true"));
    Some(Expectation { passes, version: number, es: es || number == 100, links, with, without })
}

fn capabilities(wanted: &Expectation) -> Capabilities {
    let mut extensions: std::collections::BTreeSet<String> =
        glsl::known_extensions().into_iter().collect();
    extensions.insert("GL_ARB_ES3_2_compatibility".into());
    // Texture formats, with nothing of their own in shaders.
    if wanted.with.iter().any(|name| name == "GL_EXT_texture_norm16") {
        extensions.insert("GL_EXT_texture_norm16".into());
    }
    wanted.without.iter().for_each(|name| _ = extensions.remove(name));
    let compatible =
        wanted.with.iter().any(|name| name == "GL_ARB_compatibility") || wanted.version < 140;
    Capabilities::from(CapabilityTable {
        generation: "reference".into(),
        api: match (wanted.es, compatible || wanted.version > 140) {
            (true, _) => Api::Es,
            (_, true) if wanted.without.is_empty() => Api::Compatibility,
            _ => Api::Core,
        },
        gl_version: 46,
        glsl_version: if wanted.es { 320 } else { 460 },
        extensions,
        limits: BTreeMap::from([("GL_MAX_VERTEX_ATTRIBS".to_owned(), 64.0)]),
    })
}

fn accept(text: &str, stage: Stage, wanted: &Expectation) -> Result<(), String> {
    let capabilities = capabilities(wanted);
    let mut types = TypeTable::default();
    let mut options = CompileOptions::new(&capabilities);
    (options.default_version.number, options.default_version.es) = (wanted.version, wanted.es);
    let shader = compile(&[text], stage, options, &mut types).map_err(|e| e.to_string())?;
    if wanted.links {
        let options = LinkOptions { separable: true, ..LinkOptions::new(&capabilities) };
        program::link(vec![shader], types, &options).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn is_listed(name: &str) -> bool {
    DIFFERENCES.lines().any(|line| line == name)
}

#[test]
fn shaders_that_are_compiled_alone() {
    let paths = piglit_files(&["vert", "tesc", "tese", "geom", "frag", "comp"]);
    if paths.is_empty() {
        println!("piglit is not installed: nothing compiled");
        return;
    }
    let filter = std::env::var("PIGLIT_FILTER").unwrap_or_default();
    let (mut right, mut listed, mut wrong) = (0, 0, Vec::new());
    for path in paths.iter().filter(|p| p.to_string_lossy().contains(&filter)) {
        let Some(stage) = stage(path) else { continue };
        let Ok(bytes) = std::fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let Some(wanted) = expectation(&text) else { continue };
        let outcome = accept(&text, stage, &wanted);
        let name = path.strip_prefix(PIGLIT).unwrap_or(path).display().to_string();
        let as_wanted = outcome.is_ok() == wanted.passes;
        match (as_wanted, is_listed(&name)) {
            (true, false) => right += 1,
            (false, true) => listed += 1,
            (true, true) => wrong.push(format!("{name}: listed as different, but is not")),
            (false, false) => wrong.push(match outcome {
                Ok(()) => format!("{name}: illegal, but accepted"),
                Err(e) => {
                    format!("{name}: legal, but refused: {}", e.lines().next().unwrap_or_default())
                }
            }),
        }
    }
    println!("{right} as piglit expects, {listed} listed differences");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
