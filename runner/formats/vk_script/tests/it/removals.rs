//! Removable parts of scripts.

use vk_script::{Removal, RemovalLevel, Rules, removals, without};

use crate::common::{GRAPHICS, SECTIONS, parse};

fn texts<'a>(text: &'a str, list: &[Removal]) -> Vec<&'a str> {
    list.iter()
        .flat_map(|removal| removal.ranges.iter())
        .map(|range| &text[range.clone()])
        .collect()
}

#[test]
fn commands_of_amberscript() {
    let list = removals(GRAPHICS, Rules::Amber, RemovalLevel::Commands);
    let found = texts(GRAPHICS, &list);
    assert_eq!(found[0], "CLEAR_COLOR full 255 0 51 255\n");
    assert!(found.iter().any(|text| text.starts_with("REPEAT 3\n") && text.ends_with("END\n")));
    // Without its commands it is still a script.
    let rest = without(GRAPHICS, &list);
    let script = parse(&rest, Rules::Amber).unwrap_or_else(|error| panic!("{error}"));
    assert!(script.commands.is_empty() && script.pipelines.len() == 4);
}

#[test]
fn declarations_and_options_of_amberscript() {
    let found = removals(GRAPHICS, Rules::Amber, RemovalLevel::Declarations);
    let found = texts(GRAPHICS, &found);
    assert!(found.contains(&"SHADER vertex pass PASSTHROUGH\n"));
    assert!(found.contains(&"BUFFER scale DATA_TYPE float DATA 2.0 END\n"));
    assert!(found.contains(
        &"BUFFER corners DATA_TYPE vec2<float> DATA\n-1 -1   1 -1\n-1.0 1  1 1.5e0\nEND\n"
    ));
    assert!(
        found
            .iter()
            .any(|text| text.starts_with("DERIVE_PIPELINE plain") && text.ends_with("END\n"))
    );
    let found = removals(GRAPHICS, Rules::Amber, RemovalLevel::Options);
    let found = texts(GRAPHICS, &found);
    assert!(found.contains(&"  POLYGON_MODE line\n"));
    let depth = found.iter().find(|text| text.starts_with("  DEPTH\n")).expect("a block");
    assert!(depth.ends_with("    BIAS constant 1.0 clamp 0.5 slope 2.0\n  END\n"));
    assert!(found.contains(&"  CLEAR full\n"));
}

#[test]
fn commands_and_sections_of_vkscript() {
    let list = removals(SECTIONS, Rules::VkRunner, RemovalLevel::Commands);
    let found = texts(SECTIONS, &list);
    assert_eq!(found[0], "ssbo 0 64\n");
    assert!(found.contains(&"ubo 3 subdata vec3 0  1 2 3 \\\n  4 5 6\n"));
    let rest = without(SECTIONS, &list);
    let script = parse(&rest, Rules::VkRunner).unwrap_or_else(|error| panic!("{error}"));
    assert!(script.commands.is_empty());
    let found = removals(SECTIONS, Rules::VkRunner, RemovalLevel::Declarations);
    assert!(texts(SECTIONS, &found)[0].starts_with("[comment]\n"));
    assert_eq!(found.len(), SECTIONS.lines().filter(|line| line.starts_with('[')).count());
}

const ASSEMBLY: &str = "#!amber
SHADER fragment f SPIRV-ASM
OpCapability Shader
OpEntryPoint Fragment %main \"main\"
OpName %main \"main\"
OpName %helper \"helper\"
OpDecorate %sum RelaxedPrecision ; a comment
%void = OpTypeVoid
%main = OpFunction %void None %type
%label = OpLabel
OpReturn
OpFunctionEnd
%helper = OpFunction %void None %type
%begin = OpLabel
%sum = OpFAdd %float %one %one
OpReturn
OpFunctionEnd
END
";

#[test]
fn functions_take_their_annotations_along() {
    let list = removals(ASSEMBLY, Rules::Amber, RemovalLevel::Functions);
    assert_eq!(list.len(), 2);
    let rest = without(ASSEMBLY, [&list[1]]);
    assert!(!rest.contains("%helper") && !rest.contains("%sum"));
    assert!(rest.contains("OpName %main") && rest.ends_with("OpFunctionEnd\nEND\n"));
}

#[test]
fn instructions_take_their_annotations_along() {
    let list = removals(ASSEMBLY, Rules::Amber, RemovalLevel::Instructions);
    let sum = list.iter().find(|r| texts(ASSEMBLY, &[(*r).clone()]).concat().contains("OpFAdd"));
    let rest = without(ASSEMBLY, sum);
    assert!(!rest.contains("%sum"));
    // A decoration can go alone, a name goes with what it names.
    let alone = |start: &str| {
        list.iter().any(|r| r.ranges.len() == 1 && ASSEMBLY[r.ranges[0].clone()].starts_with(start))
    };
    assert!(alone("OpDecorate %sum") && !alone("OpName %main"));
}

#[test]
fn lines_outside_of_shaders() {
    let list = removals(ASSEMBLY, Rules::Amber, RemovalLevel::Lines);
    assert_eq!(texts(ASSEMBLY, &list), ["#!amber\n", "SHADER fragment f SPIRV-ASM\n", "END\n"]);
    assert_eq!(removals("#!amber\nnonsense", Rules::Amber, RemovalLevel::Lines), []);
}
