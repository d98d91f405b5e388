//! Known defects of drivers: one file each in `tests/defects`.
//!
//! A file is a small test that fails on a driver with the defect. It begins with comments of the
//! form `# key: text`; a comment that is indented by more than one space continues the text before.
//!
//! | key | text |
//! |---|---|
//! | `construct` | the code that shows the defect |
//! | `rule` | section and sentence of the specification that the driver violates |
//! | `cause` | the place in the driver's source, if it is known |
//! | `avoid` | code that `runner fuzz --avoid` leaves out, if it does |
//! | `seen` | `DRIVER: GENERATION…`: the test does not pass there |
//! | `gone` | `DRIVER: GENERATION…`: it does |

use serde::Serialize;
use thiserror::Error;
use vocabulary::Target;

use crate::fuzz::Defect;

/// Includes the files of these names.
macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../tests/defects/", $name, ".shader_test")))),*]
    };
}

/// Names and texts of all files.
const FILES: [(&str, &str); 58] = files![
    "block-swizzle-index"
    "boolean-array"
    "break-continue-store"
    "buffer-length-index"
    "captured-distances"
    "captured-position"
    "compared-difference"
    "computed-vector-store"
    "control-duplicate"
    "control-vertices"
    "copied-array"
    "cull-distance-alone"
    "cull-distance-input"
    "distance-slots"
    "divergent-constant"
    "division-by-minus-one"
    "double-constant"
    "double-floor-denormal"
    "double-floor-sum"
    "empty-store"
    "find-msb-of-float"
    "fragment-layer"
    "fragment-viewport"
    "half-negated"
    "index-component"
    "inner-level-input"
    "int64-clamp"
    "ldexp-double-zero"
    "loop-length"
    "matrix-from-matrix"
    "matrix-from-scalar"
    "mod-of-multiple"
    "mul-extended-all-ones"
    "mul-extended-constant"
    "mul-extended-vector"
    "multiply-constants"
    "negative-factor"
    "nested-switch-continue"
    "out-argument-index"
    "round-double"
    "sampler-structure-copy"
    "second-condition"
    "second-stage-uniform"
    "selected-constants"
    "shared-comparison"
    "shared-load-barrier"
    "sign-of-double"
    "sign-of-unsigned"
    "spilled-double"
    "spilled-evaluation"
    "subgroup-size-variable"
    "transposed-product"
    "uniform-index"
    "uniform-struct-double"
    "unmasked-constant"
    "unpack-component"
    "unpack-upper-half"
    "vertex-samples"
];

/// A known defect of drivers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownDefect {
    /// Name of the file, and value of `--avoid`.
    pub name: &'static str,
    /// The code that shows it.
    pub construct: String,
    /// Section and sentence of the specification.
    pub rule: String,
    /// The place in the driver's source, if it is known.
    pub cause: Option<String>,
    /// Code that random programs leave out, if they do.
    pub avoid: Option<String>,
    /// Drivers on which the test was executed.
    pub records: Vec<DefectRecord>,
    /// The file.
    #[serde(skip)]
    pub test: &'static str,
}

/// Results of the test of a defect on one driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DefectRecord {
    /// Name and version, as `GL_VERSION` has them.
    pub driver: String,
    /// Generations on which the test was executed.
    pub generations: Vec<Target>,
    /// True if it did not pass.
    pub is_seen: bool,
}

/// An error in a file of `tests/defects`.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("{name}: {message}")]
pub struct DefectError {
    name: &'static str,
    message: String,
}

impl KnownDefect {
    /// Reads all files.
    ///
    /// # Errors
    /// Fails if a file has an unknown key, lacks one or has it twice, or names no generation.
    pub fn all() -> Result<Vec<KnownDefect>, DefectError> {
        FILES.into_iter().map(|(name, test)| KnownDefect::parse(name, test)).collect()
    }

    /// Returns the record of a driver on a generation: true if the test does not pass there, `None`
    /// if it was not executed.
    #[must_use]
    pub fn is_seen(&self, driver: &str, generation: Target) -> Option<bool> {
        let records = self.records.iter();
        let mut of_driver = records.filter(|record| driver.contains(&record.driver));
        of_driver.find(|r| r.generations.contains(&generation)).map(|record| record.is_seen)
    }

    fn parse(name: &'static str, test: &'static str) -> Result<KnownDefect, DefectError> {
        let error = |message: String| DefectError { name, message };
        let (mut construct, mut rule, mut cause, mut avoid) = (None, None, None, None);
        let mut records = Vec::new();
        for (key, text) in fields(test).map_err(error)? {
            let single = match &*key {
                "construct" => &mut construct,
                "rule" => &mut rule,
                "cause" => &mut cause,
                "avoid" => &mut avoid,
                "seen" | "gone" => {
                    records.push(record(&text, key == "seen").map_err(error)?);
                    continue;
                }
                _ => return Err(error(format!("unknown key `{key}`"))),
            };
            if single.replace(text).is_some() {
                return Err(error(format!("two texts for `{key}`")));
            }
        }
        let construct = construct.ok_or_else(|| error("no construct".to_owned()))?;
        let rule = rule.ok_or_else(|| error("no rule".to_owned()))?;
        Ok(KnownDefect { name, construct, rule, cause, avoid, records, test })
    }
}

/// Returns keys and texts of the comments at the beginning of a file.
fn fields(test: &str) -> Result<Vec<(String, String)>, String> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in test.lines().map_while(|line| line.strip_prefix("# ")) {
        match (line.strip_prefix("  "), fields.last_mut()) {
            (Some(rest), Some((_, text))) => {
                text.push(' ');
                text.push_str(rest.trim());
            }
            _ => {
                let (key, text) = line.split_once(": ").ok_or_else(|| format!("no key: {line}"))?;
                fields.push((key.to_owned(), text.to_owned()));
            }
        }
    }
    Ok(fields)
}

fn record(text: &str, is_seen: bool) -> Result<DefectRecord, String> {
    let (driver, generations) =
        text.split_once(": ").ok_or_else(|| format!("no driver: {text}"))?;
    let generations = generations
        .split_whitespace()
        .map(|name| Target::from_name(name).ok_or_else(|| format!("`{name}` is not a generation")));
    Ok(DefectRecord {
        driver: driver.to_owned(),
        generations: generations.collect::<Result<_, _>>()?,
        is_seen,
    })
}

/// Returns the known defect whose construct random programs can leave out.
#[must_use]
pub fn of_avoided(avoided: Defect) -> Option<KnownDefect> {
    let (name, test) = FILES.into_iter().find(|(name, _)| *name == avoided.name())?;
    KnownDefect::parse(name, test).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "# construct: a\n#   b\n# rule: GLSL 4.60, 5.9: \"c\"\n# avoid: d\n\
        # seen: Mesa 1: ivb skl\n# gone: Mesa 2: ivb\n\n# no: key\n[require]\n";

    fn message(test: &'static str) -> String {
        KnownDefect::parse("x", test).expect_err("an error").to_string()
    }

    #[test]
    fn comments_are_fields() {
        let defect = KnownDefect::parse("x", TEST).expect("a defect");
        assert_eq!((&*defect.construct, &*defect.rule), ("a b", "GLSL 4.60, 5.9: \"c\""));
        assert_eq!((defect.cause.as_deref(), defect.avoid.as_deref()), (None, Some("d")));
        let seen = |driver, generation| defect.is_seen(driver, generation);
        assert_eq!(seen("4.2 (Core Profile) Mesa 1", Target::SKL), Some(true));
        assert_eq!(seen("4.2 (Core Profile) Mesa 2", Target::IVB), Some(false));
        assert_eq!(seen("4.2 (Core Profile) Mesa 2", Target::SKL), None);
    }

    #[test]
    fn errors_name_the_file() {
        assert_eq!(message("# construct: a\n"), "x: no rule");
        assert_eq!(message("# rule: a\n[require]\n"), "x: no construct");
        assert_eq!(message("# rule: a\n# rule: b\n"), "x: two texts for `rule`");
        assert_eq!(message("# sentence: a\n"), "x: unknown key `sentence`");
        assert_eq!(message("# seen: Mesa\n"), "x: no driver: Mesa");
        assert_eq!(message("# seen: Mesa: ivy\n"), "x: `ivy` is not a generation");
        assert_eq!(message("# anything\n"), "x: no key: anything");
    }

    /// The list is the folder, and what `--avoid` accepts is what the files say.
    #[test]
    fn the_list_is_complete() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/defects");
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one"));
        let names = entries.map(|entry| entry.file_name().into_string().expect("a name"));
        let mut found: Vec<String> =
            names.filter_map(|name| name.strip_suffix(".shader_test").map(str::to_owned)).collect();
        found.sort();
        let defects = KnownDefect::all().expect("good files");
        assert_eq!(defects.iter().map(|defect| defect.name).collect::<Vec<_>>(), found);
        let mut avoided: Vec<&str> = Defect::ALL.iter().map(|defect| defect.name()).collect();
        avoided.sort_unstable();
        let with_avoid = defects.iter().filter(|defect| defect.avoid.is_some());
        assert_eq!(with_avoid.map(|defect| defect.name).collect::<Vec<_>>(), avoided);
        assert!(Defect::ALL.iter().all(|&defect| of_avoided(defect).is_some()));
    }
}
