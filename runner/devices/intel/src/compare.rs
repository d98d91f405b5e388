//! Comparison of the results of two widths of one shader.

use std::collections::BTreeMap;

use program::{
    ArrayLength, FragmentOutput, Global, LinkedStage, Placement, Program, Stage, TypeTable,
};
use raster::device::{Batch, FragmentBatch, SoaTable};

/// Maximum distance, in units in the last place, of equal floats in an inexact program: the order
/// of operations is the same in all widths, but fused and unfused forms may differ.
const ULPS: u32 = 16;

/// The rule for comparing two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// All bits are equal: integers, doubles in halves, everything in an exact program.
    Bits,
    /// Floats differ by a few units.
    Close,
    /// No comparison: the shader declares no such component.
    Nothing,
}

/// The first difference of each lane.
pub(crate) type Differences = BTreeMap<usize, String>;

/// Compares the outputs of two widths of a stage of `program`.
pub(crate) fn differences(reference: &Batch, other: &Batch, program: &Program) -> Differences {
    let mut found = Differences::new();
    match (reference, other) {
        (Batch::Fragment(a), Batch::Fragment(b)) => {
            compare_fragments(a, b, program.stage(Stage::Fragment), &program.types, &mut found);
        }
        (Batch::Vertex(a), Batch::Vertex(b)) => {
            let stage = program.stage(Stage::Vertex);
            let rule = |row: usize| {
                float_rule(stage, |s| s.outputs.get(row / 4).is_some_and(|v| v.integer))
            };
            compare_channels(&a.outputs, &b.outputs, a.mask, rule, "output", &mut found);
        }
        _ => {}
    }
    found
}

/// Equalizes two results wherever two executions of one kernel, `run` and `again`, gave different
/// values.
pub(crate) fn equalize_undefined(run: &Batch, again: &Batch, results: &mut [Batch; 2]) {
    if let (
        Batch::Fragment(run),
        Batch::Fragment(again),
        [Batch::Fragment(a), Batch::Fragment(b)],
    ) = (run, again, results)
    {
        let (run, again, a, b) = (&run.outputs, &again.outputs, &a.outputs, &mut b.outputs);
        let unequal = run.killed ^ again.killed;
        b.killed = a.killed & unequal | b.killed & !unequal;
        equalize_channels(&run.color, &again.color, &a.color, &mut b.color);
        equalize_channels(&run.dual_source, &again.dual_source, &a.dual_source, &mut b.dual_source);
        equalize_values(&run.depth, &again.depth, &a.depth, &mut b.depth);
        equalize_values(&run.sample_mask, &again.sample_mask, &a.sample_mask, &mut b.sample_mask);
        equalize_values(&run.stencil, &again.stencil, &a.stencil, &mut b.stencil);
    }
}

fn equalize_channels(run: &SoaTable, again: &SoaTable, a: &SoaTable, b: &mut SoaTable) {
    for row in 0..b.rows() {
        equalize_values(run.row(row), again.row(row), a.row(row), b.row_mut(row));
    }
}

fn equalize_values(run: &[u32], again: &[u32], a: &[u32], b: &mut [u32]) {
    for (lane, value) in b.iter_mut().enumerate() {
        if run.get(lane) != again.get(lane) {
            *value = a.get(lane).copied().unwrap_or(*value);
        }
    }
}

/// Returns the rule of a value of a stage; `integer` is true for values that are no floats.
fn float_rule(stage: Option<&LinkedStage>, integer: impl Fn(&LinkedStage) -> bool) -> Rule {
    match stage {
        Some(stage) if stage.exact || integer(stage) => Rule::Bits,
        _ => Rule::Close,
    }
}

fn compare_fragments(
    a: &FragmentBatch,
    b: &FragmentBatch,
    stage: Option<&LinkedStage>,
    types: &TypeTable,
    found: &mut Differences,
) {
    let killed = (a.outputs.killed ^ b.outputs.killed) & a.live;
    for lane in lanes_of(killed) {
        found.insert(
            lane,
            format!("discarded lanes {:#x} against {:#x}", a.outputs.killed, b.outputs.killed),
        );
    }
    let visible = a.live & !a.outputs.killed;
    let rule =
        |row: usize, index: u8| stage.map_or(Rule::Close, |s| color_rule(s, types, row, index));
    compare_channels(
        &a.outputs.color,
        &b.outputs.color,
        visible,
        |row| rule(row, 0),
        "color",
        found,
    );
    let (first, second) = (&a.outputs.dual_source, &b.outputs.dual_source);
    compare_channels(first, second, visible, |row| rule(row, 1), "second color", found);
    let depth = float_rule(stage, |_| false);
    compare_values(&a.outputs.depth, &b.outputs.depth, visible, depth, "depth", found);
    compare_values(
        &a.outputs.sample_mask,
        &b.outputs.sample_mask,
        visible,
        Rule::Bits,
        "sample mask",
        found,
    );
    compare_values(&a.outputs.stencil, &b.outputs.stencil, visible, Rule::Bits, "stencil", found);
}

fn lanes_of(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |lane| mask >> lane & 1 != 0)
}

/// Returns the rule of a component of a draw buffer: row 4 × draw buffer + component.
fn color_rule(stage: &LinkedStage, types: &TypeTable, row: usize, index: u8) -> Rule {
    let (location, component) = ((row / 4) as u32, (row % 4) as u8);
    let covers = |global: &Global| match global.placement {
        Placement::FragmentOutput { output: FragmentOutput::AllColors, .. } => index == 0,
        Placement::FragmentOutput {
            output: FragmentOutput::Color { location: first, index: own },
            component: from,
        } => {
            let count = match types.array_of(global.ty) {
                Some((_, ArrayLength::Fixed(n))) => n,
                _ => 1,
            };
            let end = from + types.components(types.without_arrays(global.ty));
            own == index
                && location.checked_sub(first.into()).is_some_and(|i| i < count)
                && (from..end).contains(&component)
        }
        _ => false,
    };
    let Some(global) = stage.shader.globals.values().find(|global| covers(global)) else {
        return Rule::Nothing;
    };
    let scalar = types.scalar_of(types.without_arrays(global.ty));
    float_rule(Some(stage), |_| scalar.is_some_and(|scalar| !scalar.is_float()))
}

fn compare_values(
    a: &[u32],
    b: &[u32],
    lanes: u64,
    rule: Rule,
    what: &str,
    found: &mut Differences,
) {
    for (lane, (&x, &y)) in a.iter().zip(b).enumerate() {
        if lanes >> lane & 1 != 0 && !same(rule, x, y) {
            found
                .entry(lane)
                .or_insert_with(|| format!("{what} of lane {lane}: {x:#010x} against {y:#010x}"));
        }
    }
}

fn compare_channels(
    a: &SoaTable,
    b: &SoaTable,
    lanes: u64,
    rule: impl Fn(usize) -> Rule,
    what: &str,
    found: &mut Differences,
) {
    for row in 0..a.rows() {
        for lane in lanes_of(lanes).take_while(|&lane| lane < a.lanes()) {
            let (x, y) = (a.get(row, lane), b.get(row, lane));
            if x != y && !same(rule(row), x, y) {
                let text = || format!("{what} row {row} lane {lane}: {x:#010x} against {y:#010x}");
                found.entry(lane).or_insert_with(text);
            }
        }
    }
}

fn same(rule: Rule, a: u32, b: u32) -> bool {
    match rule {
        Rule::Bits => a == b,
        Rule::Close => close(a, b),
        Rule::Nothing => true,
    }
}

/// Returns true for equal bits, two NaNs, or floats a few units apart.
fn close(a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let ordered =
        |bits: u32| if bits >> 31 != 0 { -((bits & 0x7fff_ffff) as i64) } else { i64::from(bits) };
    a == b
        || x.is_nan() && y.is_nan()
        || (x.is_finite()
            && y.is_finite()
            && (ordered(a) - ordered(b)).unsigned_abs() <= ULPS.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_compared_bit_for_bit_and_floats_are_not() {
        let (x, y) = (1.0f32.to_bits(), 1.0f32.to_bits() + 3);
        assert!(same(Rule::Close, x, y) && !same(Rule::Bits, x, y));
        assert!(!same(Rule::Close, x, x + 17));
        // Small integers are neighbors among the subnormals.
        assert!(same(Rule::Close, 7, 8) && !same(Rule::Bits, 7, 8));
        let nan = f32::NAN.to_bits();
        assert!(same(Rule::Close, nan, nan ^ 1) && !same(Rule::Bits, nan, nan ^ 1));
    }

    #[test]
    fn random_values_are_equalized_and_others_are_not() {
        let batch = |colors: [u32; 4], killed: u64| {
            let quad = raster::device::Quad { x: 0, y: 0, primitive: 0 };
            let mut outputs = raster::device::FragmentOutputs::new(1, 4);
            outputs.color.row_mut(0).copy_from_slice(&colors);
            outputs.killed = killed;
            Batch::Fragment(FragmentBatch {
                quads: vec![quad],
                live: 0xf,
                primitives: Vec::new(),
                samples: 1,
                sample_positions: vec![[0.5; 2]],
                sample_id: None,
                sample_mask_in: vec![1; 4],
                outputs,
            })
        };
        let (run, again) = (batch([1, 2, 3, 4], 0b0001), batch([1, 9, 3, 4], 0b0011));
        let mut results = [run.clone(), batch([1, 7, 8, 4], 0b1111)];
        equalize_undefined(&run, &again, &mut results);
        let [Batch::Fragment(a), Batch::Fragment(b)] = &results else { panic!("fragments") };
        assert_eq!((a.outputs.color.row(0), a.outputs.killed), (&[1, 2, 3, 4][..], 0b0001));
        // Lane 1 was random, lane 2 is a real difference.
        assert_eq!((b.outputs.color.row(0), b.outputs.killed), (&[1, 2, 8, 4][..], 0b1101));
    }

    #[test]
    fn kinds_come_from_the_declared_outputs() {
        let text = "#version 130\nout ivec4 count[2];\nout vec2 color;\n\
                    void main() { count[0] = ivec4(gl_FragCoord); count[1] = count[0]; color = exp2(gl_FragCoord.xy); }";
        let mut types = TypeTable::default();
        let options = glsl::CompileOptions::default();
        let shader =
            glsl::compile(&[text], Stage::Fragment, options, &mut types).expect("it compiles");
        let capabilities = program::Capabilities::from(program::CapabilityTable {
            generation: "reference".into(),
            api: program::Api::Compatibility,
            gl_version: 30,
            glsl_version: 130,
            extensions: Default::default(),
            limits: Default::default(),
        });
        let options = program::LinkOptions::new(&capabilities);
        let program = program::link(vec![shader], types, &options).expect("it links");
        let stage = program.stage(Stage::Fragment).expect("a fragment stage");
        let rules: Vec<Rule> =
            (0..16).map(|row| color_rule(stage, &program.types, row, 0)).collect();
        let count = |rule| rules.iter().filter(|&&r| r == rule).count();
        // Two draw buffers of four integers, two floats, and undeclared components.
        assert_eq!([Rule::Bits, Rule::Close, Rule::Nothing].map(count), [8, 2, 6], "{rules:?}");
        assert!(!stage.exact && color_rule(stage, &program.types, 0, 1) == Rule::Nothing);
    }
}
