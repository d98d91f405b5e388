//! Third-party crates: licenses that `deny.toml` permits, and the registry as their only source.
//! `cargo deny check bans licenses sources` reads the same file and checks more.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Where third-party crates come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Licenses that `deny.toml` permits.
fn permitted() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deny.toml");
    let text = std::fs::read_to_string(path).expect("deny.toml is readable");
    let list = text.split_once("\nallow = [").expect("a list of licenses").1;
    let list = list.split_once(']').expect("the end of the list").0;
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns whether permitted licenses alone satisfy an SPDX expression. `AND` binds closer than
/// `OR`; crates write `/` for `OR` in old manifests.
fn satisfied(expression: &str, permitted: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let value = alternatives(&mut words, permitted);
    assert_eq!(words.next(), None, "the whole of `{expression}` is read");
    value
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn alternatives(words: &mut Words<'_>, permitted: &[String]) -> bool {
    let mut value = conjunction(words, permitted);
    while words.next_if_eq(&"OR").is_some() {
        value |= conjunction(words, permitted);
    }
    value
}

fn conjunction(words: &mut Words<'_>, permitted: &[String]) -> bool {
    let mut value = license(words, permitted);
    while words.next_if_eq(&"AND").is_some() {
        value &= license(words, permitted);
    }
    value
}

fn license(words: &mut Words<'_>, permitted: &[String]) -> bool {
    let Some(word) = words.next() else { return false };
    if word == "(" {
        let value = alternatives(words, permitted);
        assert_eq!(words.next(), Some(")"), "a closing parenthesis");
        return value;
    }
    let mut name = word.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or_default());
    }
    permitted.contains(&name)
}

/// The packages of a `cargo metadata` output that break a rule, each with the reason.
fn offenses(metadata: &Value, permitted: &[String]) -> Vec<String> {
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let third_party = packages.iter().filter(|package| !package["source"].is_null());
    let mut offenses = Vec::new();
    for package in third_party {
        let name = format!("{} {}", package["name"], package["version"]).replace('"', "");
        let source = package["source"].as_str().unwrap_or_default();
        if source != REGISTRY {
            offenses.push(format!("{name}: its source is {source}"));
        }
        match package["license"].as_str() {
            None => offenses.push(format!("{name}: its manifest names no license")),
            Some(license) if !satisfied(license, permitted) => {
                offenses.push(format!("{name}: deny.toml does not permit {license}"));
            }
            Some(_) => {}
        }
    }
    offenses
}

#[test]
fn licenses_and_sources_are_permitted() {
    // Packages of other platforms may be missing from the local registry: ask for this one's.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let found = offenses(&metadata, &permitted());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn planted_packages_are_offenses() {
    let package = |license: Value, source: &str| {
        serde_json::json!({ "packages": [
            { "name": "a", "version": "1.0.0", "source": source, "license": license }
        ]})
    };
    let permitted = ["MIT".to_owned(), "Zlib".to_owned()];
    let of = |license: Value, source| offenses(&package(license, source), &permitted);
    assert_eq!(of("MIT".into(), REGISTRY), [""; 0]);
    assert_eq!(of("GPL-3.0".into(), REGISTRY), ["a 1.0.0: deny.toml does not permit GPL-3.0"]);
    assert_eq!(of(Value::Null, REGISTRY), ["a 1.0.0: its manifest names no license"]);
    let fork = "git+https://example.com/a";
    assert_eq!(of("MIT".into(), fork), [format!("a 1.0.0: its source is {fork}")]);
}

#[test]
fn expressions() {
    let permitted = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for (expression, expected) in [
        ("MIT", true),
        ("MIT OR Apache-2.0", true),
        ("Apache-2.0/MIT", true),
        ("MIT AND Unlicense", false),
        ("Unlicense OR MIT AND Zlib", true),
        ("(MIT OR Unlicense) AND Zlib", true),
        ("(MIT OR Unlicense) AND CC0-1.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
    ] {
        assert_eq!(satisfied(expression, &permitted), expected, "{expression}");
    }
}
