//! Every file of an installed piglit parses, and its commands match an independent count.
//!
//! By default every 50th file is parsed; with `PIGLIT_ALL=1` all of them, and then the numbers of
//! files and lines per pattern, of sections, of requested contexts and of inserted `#version` lines
//! are compared too.

use std::collections::BTreeMap;

use script::{ContextRequest, Script};

/// Pattern, files that use it, lines that use it, over the 35,090 files of Debian's piglit package
/// `0~git20220119-124bca3c9-1`. The counts come from a census made with another classifier.
const CENSUS: &[(&str, usize, usize)] = &[
    ("active shader program W", 1, 1),
    ("atomic counter buffer U U", 8, 22),
    ("atomic counters D", 109, 109),
    ("atomic counter U U U", 10, 54),
    ("clear color␠", 31682, 329777),
    ("clear depth␠", 3, 3),
    ("clear", 31663, 335482),
    ("clip plane D F F F F", 70, 165),
    ("color␠", 14, 14),
    ("compute D D D", 1780, 25918),
    ("compute group size D D D D D D", 4, 4),
    ("draw rect tex␠", 9, 60),
    ("draw rect ortho patch␠", 1695, 25805),
    ("draw rect ortho␠", 5096, 77445),
    ("draw rect patch␠", 39, 1128),
    ("draw rect␠", 4259, 15732),
    ("draw instanced rect ortho patch␠", 1, 1),
    ("draw instanced rect ortho␠", 1, 1),
    ("draw instanced rect␠", 1, 1),
    ("draw arrays instanced W31 D D D", 6, 6),
    ("draw arrays instanced base W31 D D D D", 0, 0),
    ("draw arrays W31 D D", 21724, 342700),
    ("draw elements W31 D D", 0, 0),
    ("multidraw arrays␠", 0, 0),
    ("disable␠", 7, 67),
    ("enable␠", 222, 540),
    ("depthfunc W31", 0, 0),
    ("fb␠", 1785, 2026),
    ("blit␠", 46, 60),
    ("frontface cw", 0, 0),
    ("frontface ccw", 0, 0),
    ("frustum", 161, 161),
    ("hint", 2, 2),
    ("image texture D W31", 1717, 1729),
    ("memory barrier W", 20, 32),
    ("blend barrier", 0, 0),
    ("fbfetch barrier", 29, 86),
    ("ortho F F F F", 103, 103),
    ("ortho", 856, 856),
    ("viewport indexed U F F F F", 3, 12),
    ("probe rgba␠", 2572, 13235),
    ("probe depth␠", 2, 5),
    ("probe atomic counter buffer U U W U", 5, 70),
    ("probe atomic counter U W U", 100, 286),
    ("probe ssbo uint D D W 0xX", 0, 0),
    ("probe ssbo uint D D W D", 9, 106),
    ("probe ssbo uint64 D D W U", 0, 0),
    ("probe ssbo int D D W D", 7, 51),
    ("probe ssbo int64 D D W D", 0, 0),
    ("probe ssbo double D D W F", 0, 0),
    ("probe ssbo float D D W F", 0, 0),
    ("relative probe rgba ( F , F ) ( F , F , F , F )", 451, 3089),
    ("probe rgb␠", 2680, 32677),
    ("relative probe rgb ( F , F ) ( F , F , F )", 223, 876),
    ("probe rect rgba ( D , D , D , D ) ( F , F , F , F )", 6798, 103309),
    ("relative probe rect rgb ( F , F , F , F ) ( F , F , F )", 124, 491),
    ("relative probe rect rgba ( F , F , F , F ) ( F , F , F , F )", 8, 29),
    ("relative probe rect rgba int ( F , F , F , F ) ( D , D , D , D )", 6, 18),
    ("polygon mode␠", 11, 11),
    ("probe all rgba␠", 21339, 337956),
    ("probe warn all rgba␠", 2, 2),
    ("probe all rgb", 285, 290),
    ("tolerance", 9, 9),
    ("shade model smooth", 80, 80),
    ("shade model flat", 80, 80),
    ("ssbo D D", 75, 96),
    ("xfb buffer object U U", 15, 21),
    ("xfb draw arrays W31 D D", 15, 15),
    ("probe xfb buffer float U U F", 14, 125),
    ("probe xfb buffer double U U F", 1, 6),
    ("ssbo D subdata float D F", 34, 1650),
    ("ssbo D subdata double D W", 0, 0),
    ("ssbo D subdata int64 D W", 5, 5),
    ("ssbo D subdata uint64 U W", 2, 2),
    ("ssbo D subdata int D W", 22, 1702),
    ("texture rgbw D ( D", 1815, 1863),
    ("resident texture D", 11, 15),
    ("resident texture 1D D", 0, 0),
    ("resident image texture D W31", 10, 14),
    ("texture integer␠", 3, 6),
    ("texture miptree D", 25, 25),
    ("texture checkerboard D D ( D , D ) ( F , F , F , F ) ( F , F , F , F )", 59, 196),
    (
        "texture quads D D ( D , D ) ( D , D ) ( F , F , F , F ) ( F , F , F , F ) ( F , F , F , F ) ( F , F , F , F )",
        1,
        1,
    ),
    ("texture junk 2DArray D ( D , D , D )", 10, 14),
    ("texture storage␠", 22, 22),
    ("texture rgbw 1D D", 2, 2),
    ("texture rgbw 3D D", 2, 2),
    ("texture rgbw 2DArray D ( D , D , D )", 4, 4),
    ("texture rgbw 1DArray D ( D , D )", 2, 2),
    ("texture shadow2D D ( D , D )", 42, 42),
    ("texture shadowRect D ( D , D )", 15, 15),
    ("texture shadow1D D ( D )", 15, 15),
    ("texture shadow1DArray D ( D , D )", 11, 11),
    ("texture shadow2DArray D ( D , D , D )", 10, 10),
    ("texcoord D ( F , F , F , F )", 4, 7),
    ("texparameter␠", 149, 636),
    ("uniform␠", 32371, 5285426),
    ("subuniform␠", 10, 41),
    ("parameter␠", 44, 105),
    ("patch parameter␠", 101, 135),
    ("program binary save restore", 1, 1),
    ("provoking vertex␠", 3, 3),
    ("link error", 280, 280),
    ("link success", 1093, 1093),
    ("ubo array index␠", 20, 80),
    ("block array index␠", 5, 14),
    ("block binding␠", 39, 78),
    ("block offset␠", 22, 74),
    ("block matrix stride", 8, 10),
    ("block row major", 8, 13),
    ("active uniform␠", 6, 170),
    ("verify program_query", 75, 76),
    ("verify program_interface_query␠", 42, 131),
    ("verify query_object", 15, 30),
    ("vertex attrib␠", 2, 2),
    ("newlist␠", 3, 6),
    ("endlist", 3, 6),
    ("calllist", 3, 4),
    ("deletelist", 3, 4),
    ("viewport swizzle␠", 1, 5),
    ("light␠", 1, 4),
];

/// Sections of the same files by header; headers that no file has are left out.
const SECTIONS: &[(&str, usize)] = &[
    ("[compute shader]", 1811),
    ("[compute shader spirv]", 6),
    ("[fragment program]", 27),
    ("[fragment shader]", 33215),
    ("[fragment shader specializations]", 1),
    ("[fragment shader spirv]", 65),
    ("[geometry layout]", 24),
    ("[geometry shader]", 3015),
    ("[require]", 35090),
    ("[shader include]", 32),
    ("[shader include paths]", 4),
    ("[tessellation control shader]", 1950),
    ("[tessellation evaluation shader]", 1967),
    ("[test]", 35088),
    ("[vertex data]", 21551),
    ("[vertex program]", 89),
    ("[vertex shader]", 32240),
    ("[vertex shader passthrough]", 924),
    ("[vertex shader specializations]", 1),
    ("[vertex shader spirv]", 24),
];

/// Contexts that the same files request.
const CONTEXTS: &[(ContextRequest, usize)] = &[
    (ContextRequest::CoreThenCompatibility(32), 15292),
    (ContextRequest::CoreThenCompatibility(42), 8786),
    (ContextRequest::AnyCompatibility, 5519),
    (ContextRequest::CoreThenCompatibility(40), 2612),
    (ContextRequest::CoreThenCompatibility(43), 1725),
    (ContextRequest::CoreThenCompatibility(41), 687),
    (ContextRequest::CoreThenCompatibility(33), 139),
    (ContextRequest::CoreThenCompatibility(45), 104),
    (ContextRequest::CoreThenCompatibility(31), 82),
    (ContextRequest::Es(30), 66),
    (ContextRequest::Compatibility(32), 34),
    (ContextRequest::Es(20), 23),
    (ContextRequest::Es(31), 16),
    (ContextRequest::CoreThenCompatibility(44), 3),
    (ContextRequest::Compatibility(31), 1),
    (ContextRequest::Core(31), 1),
];

/// Number of files in that package.
const FILES: usize = 35_090;

#[test]
fn census_lists_every_pattern_in_order() {
    let spelled: Vec<String> = script::Pattern::ALL.iter().map(ToString::to_string).collect();
    let expected: Vec<&str> = CENSUS.iter().map(|(pattern, ..)| *pattern).collect();
    assert_eq!(spelled, expected);
}

#[test]
fn corpus_parses() {
    let Some(root) = crate::corpus::root() else {
        println!("corpus test did not run: piglit is not installed (set PIGLIT_DIR)");
        return;
    };
    let all = std::env::var_os("PIGLIT_ALL").is_some();
    let files = crate::corpus::files(&root);
    let mut found = Found { patterns: vec![(0, 0); CENSUS.len()], ..Found::default() };
    let mut errors = Vec::new();
    for file in files.iter().step_by(if all { 1 } else { 50 }) {
        let Ok(bytes) = std::fs::read(file) else { continue };
        match script::parse(&bytes) {
            Ok(script) => found.count(&script),
            Err(error) => errors.push(format!("{}: {error}: {}", file.display(), error.text)),
        }
    }
    assert!(errors.is_empty(), "{} files did not parse:\n{}", errors.len(), errors.join("\n"));
    if !all {
        println!(
            "parsed every 50th of {} files; PIGLIT_ALL=1 parses all and compares the counts",
            files.len()
        );
    } else if files.len() != FILES {
        println!(
            "counts not compared: {} files instead of the {FILES} of the known package",
            files.len()
        );
    } else {
        found.compare();
    }
}

/// Contents of the files.
#[derive(Default)]
struct Found {
    /// Files and lines per pattern.
    patterns: Vec<(usize, usize)>,
    sections: BTreeMap<String, usize>,
    contexts: Vec<(ContextRequest, usize)>,
    /// GLSL sections that contain a `#version ` line.
    versioned: usize,
    /// GLSL sections without one that also have no generated one, because a later section has one.
    unversioned: usize,
}

impl Found {
    fn count(&mut self, script: &Script<'_>) {
        let mut used = vec![false; self.patterns.len()];
        for line in script.test.iter().flatten() {
            let index = line.pattern as usize;
            self.patterns[index].1 += 1;
            used[index] = true;
        }
        for (count, used) in self.patterns.iter_mut().zip(used) {
            count.0 += usize::from(used);
        }
        for section in &script.sections {
            *self.sections.entry(script.slice(section.header).to_string()).or_default() += 1;
        }
        match self.contexts.iter_mut().find(|(context, _)| *context == script.require.context) {
            Some((_, count)) => *count += 1,
            None => self.contexts.push((script.require.context, 1)),
        }
        for shader in script.shaders() {
            let versioned = String::from_utf8_lossy(shader.source).contains("#version ");
            self.versioned += usize::from(versioned);
            self.unversioned += usize::from(!versioned && script.version_line(shader).is_none());
        }
    }

    fn compare(&self) {
        for ((pattern, files, lines), found) in CENSUS.iter().zip(&self.patterns) {
            assert_eq!(found, &(*files, *lines), "{pattern}");
        }
        let sections: BTreeMap<String, usize> =
            SECTIONS.iter().map(|(header, count)| (header.to_string(), *count)).collect();
        assert_eq!(self.sections, sections);
        assert_eq!(self.contexts.len(), CONTEXTS.len());
        assert!(
            CONTEXTS.iter().all(|context| self.contexts.contains(context)),
            "{:?}",
            self.contexts
        );
        assert_eq!((self.versioned, self.unversioned), (41_163, 25));
    }
}
