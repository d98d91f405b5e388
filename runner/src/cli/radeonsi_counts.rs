//! Instruction counts of Mesa's radeonsi: a CSV file with a line per shader of a test and chip.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;

use super::shader_counts::{Counts, Key, Table};

/// Shaders that more tests have are the driver's own.
const MOST_TESTS: u32 = 8;

/// True for the header of such a file.
pub(super) fn is_header(header: &str) -> bool {
    let columns: Vec<&str> = header.split(',').collect();
    columns.contains(&"chip") && columns.contains(&"shared_by_tests")
}

/// Parses the file. A test that has several shaders of a stage says nothing about that stage.
pub(super) fn parse(text: &str) -> anyhow::Result<Table> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).context(name.to_owned());
    let [test, chip, stage] = [column("test")?, column("chip")?, column("stage")?];
    let shared = column("shared_by_tests")?;
    let numbers = [column("instructions")?, column("spilled_vgprs")?];
    let waves = column("max_waves").ok();
    let mut tests = BTreeSet::new();
    let mut found: BTreeMap<Key, Vec<Counts>> = BTreeMap::new();
    for (index, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let field = |column: usize| fields.get(column).copied().unwrap_or_default();
        tests.insert(field(test).to_owned());
        let (Some(generation), Some(stage)) = (generation(field(chip)), stage_of(field(stage)))
        else {
            continue;
        };
        let number = |column: usize| {
            let text = field(column);
            text.parse::<u32>().with_context(|| format!("line {}: no number: `{text}`", index + 2))
        };
        if number(shared)? > MOST_TESTS {
            continue;
        }
        let (instructions, spills) = (number(numbers[0])?, number(numbers[1])?);
        // Shaders whose parts were not put together have none.
        let waves = waves.map(number).transpose()?.filter(|&waves| waves > 0);
        let counts = Counts { instructions, spills, waves };
        let key =
            (field(test).to_owned(), generation.to_owned(), stage.to_owned(), "wave64".to_owned());
        found.entry(key).or_default().push(counts);
    }
    let single = |(key, counts): (Key, Vec<Counts>)| match counts[..] {
        [only] if only.instructions > 0 => Some((key, only)),
        _ => None,
    };
    Ok((tests, found.into_iter().filter_map(single).collect()))
}

fn generation(chip: &str) -> Option<&'static str> {
    match chip {
        "tahiti" => Some("si"),
        "polaris10" => Some("vi"),
        _ => None,
    }
}

/// The stage of a shader; `None` for what the driver adds.
fn stage_of(name: &str) -> Option<&'static str> {
    let name = name.split(" as ").next().unwrap_or(name);
    Some(match name {
        "Vertex Shader" => "vertex",
        "Tessellation Control Shader" => "tessellation control",
        "Tessellation Evaluation Shader" => "tessellation evaluation",
        "Geometry Shader" => "geometry",
        "Pixel Shader" => "fragment",
        "Compute Shader" => "compute",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_shaders_count() {
        let text = "test,chip,stage,spilled_vgprs,instructions,shared_by_tests,max_waves\n\
                    a,tahiti,Vertex Shader as ES,1,20,8,9\n\
                    a,tahiti,GS Copy Shader as VS,0,20,1,0\n\
                    a,polaris10,Pixel Shader,0,5,9,8\n\
                    b,polaris10,Pixel Shader,0,5,1,8\n\
                    b,polaris10,Pixel Shader,0,6,1,8\n";
        assert!(is_header(text.lines().next().unwrap_or_default()));
        let (tests, counts) = parse(text).expect("a table");
        assert_eq!(tests.len(), 2);
        let key = ["a", "si", "vertex", "wave64"].map(str::to_owned);
        let [test, generation, stage, width] = key;
        let only = Counts { instructions: 20, spills: 1, waves: Some(9) };
        assert_eq!(counts, BTreeMap::from([((test, generation, stage, width), only)]));
        assert!(parse("test,chip,stage\n").is_err());
    }
}
