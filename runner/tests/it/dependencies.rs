//! Third-party crates: licenses that `deny.toml` permits, the registry as their only source, one
//! version of each, and no requirement that any version satisfies. `cargo deny check bans licenses
//! sources` checks the same without the workspace's tests.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Where third-party crates come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Returns a list of `deny.toml`: permitted licenses (`allow`), older versions (`skip`).
fn list(key: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deny.toml");
    let text = std::fs::read_to_string(path).expect("deny.toml is readable");
    let list = text.split_once(&format!("\n{key} = [")).expect("a list").1;
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

/// The third-party crates of a `cargo metadata` output that have several versions, each with its
/// versions other than the newest. `skip` names older versions to leave out, as `name@1.2`.
fn duplicates(metadata: &Value, skip: &[String]) -> Vec<String> {
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let mut versions: BTreeMap<&str, Vec<(Vec<u64>, &str)>> = BTreeMap::new();
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let numbers = text("version").split(['.', '-', '+']).map_while(|part| part.parse().ok());
        versions.entry(text("name")).or_default().push((numbers.collect(), text("version")));
    }
    let mut found = Vec::new();
    for (name, mut versions) in versions {
        versions.sort();
        versions.pop();
        let skipped = |version: &str| {
            let of_crate = skip.iter().filter_map(|entry| entry.split_once('@'));
            let mut old = of_crate.filter(|(of, _)| *of == name).map(|(_, old)| old);
            old.any(|old| format!("{version}.").starts_with(&format!("{old}.")))
        };
        found.extend(
            versions.iter().filter(|(_, v)| !skipped(v)).map(|(_, v)| format!("{name} {v}")),
        );
    }
    found
}

/// The requirements of the workspace's crates that any version of a third-party crate satisfies.
fn wildcards(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let own = packages.iter().filter(|package| package["source"].is_null());
    let of = |package: &Value| {
        let all = package["dependencies"].as_array().expect("a list of dependencies").clone();
        let wild = all.into_iter().filter(|d| d["path"].is_null() && d["req"] == "*");
        let name = package["name"].clone();
        wild.map(move |d| format!("{name}: {}", d["name"]).replace('"', "")).collect::<Vec<_>>()
    };
    own.flat_map(of).collect()
}

/// Returns what cargo knows about the packages of the workspace.
fn metadata() -> Value {
    // Packages of other platforms may be missing from the local registry: ask for this one's.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

#[test]
fn rules_of_deny_toml_hold() {
    let metadata = metadata();
    let mut found = offenses(&metadata, &list("allow"));
    let several = duplicates(&metadata, &list("skip"));
    found.extend(several.iter().map(|older| format!("{older}: there is a newer version, too")));
    let any = wildcards(&metadata);
    found.extend(any.iter().map(|place| format!("{place}: any version satisfies it")));
    assert!(found.is_empty(), "{}", found.join("\n"));
    // Each line of the list is needed.
    let all = duplicates(&metadata, &[]);
    for entry in list("skip") {
        assert!(
            duplicates(&metadata, std::slice::from_ref(&entry)) != all,
            "{entry} skips nothing"
        );
    }
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
fn planted_versions_are_offenses() {
    let package = |name: &str, version: &str, source: Value| {
        let requires = serde_json::json!([
            { "name": "a", "req": "*", "path": null },
            { "name": "b", "req": "*", "path": "/b" },
            { "name": "c", "req": "^1", "path": null },
        ]);
        serde_json::json!({
            "name": name, "version": version, "source": source, "dependencies": requires,
        })
    };
    let third_party = |name, version| package(name, version, REGISTRY.into());
    let metadata = serde_json::json!({ "packages": [
        third_party("a", "0.9.0"), third_party("a", "0.10.0"), third_party("b", "1.0.0"),
        package("mine", "1.0.0", Value::Null),
    ]});
    assert_eq!(duplicates(&metadata, &[]), ["a 0.9.0"]);
    assert_eq!(duplicates(&metadata, &["a@0.9".to_owned()]), [""; 0]);
    for other in ["a@0.10", "a@0", "b@0.9"] {
        let left = duplicates(&metadata, &[other.to_owned()]);
        assert_eq!(left.is_empty(), other == "a@0", "{other}");
    }
    assert_eq!(wildcards(&metadata), ["mine: a"]);
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
