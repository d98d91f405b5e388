//! Every operator and built-in function on the interpreter, the IR evaluator and the simulator,
//! over random and special operands.
//!
//! `CROSS_SHAPES=all` tries every size of generic types instead of one picked at random per line,
//! `CROSS_SEED` changes the picks and values, `CROSS_FILTER` restricts to lines that contain a
//! text, `CROSS_GENERATIONS` is a comma-separated list.

use std::fmt::Write;

use crate::common::compare::{differences, show};
use crate::common::executors::Shader;
use crate::common::operand::{Rule, Ty, identical};
use crate::common::operations::{Domain, OPERATIONS, SIXTEEN_BIT, narrowed};
use crate::common::random::Rng;
use crate::common::simulator;

/// Batches of operands per shader.
const ROUNDS: usize = 12;
/// Elements of each operand's uniform array.
const ELEMENTS: usize = 4;

/// One operation on operands of definite types.
#[derive(Clone, Debug)]
struct Operation {
    line: String,
    expression: String,
    result: Ty,
    parameters: Vec<(Ty, bool, Domain)>,
    rule: Rule,
}

/// Returns true if a type needs an extension.
fn is_extension_type(ty: Ty) -> bool {
    matches!(ty.scalar, 'H' | 'S' | 'T' | 'L' | 'M')
}

/// The replacement of a line's generic types.
#[derive(Clone, Copy, Debug)]
struct Shape {
    size: usize,
    columns: usize,
    rows: usize,
}

fn scalar_type(scalar: char, columns: usize, rows: usize) -> Ty {
    Ty { scalar, columns, rows }
}

/// A type of the table under a shape; `None` when the shape does not suit it.
fn parse_type(text: &str, kind: char, shape: Shape) -> Option<Ty> {
    let text = text.replace('%', &kind.to_string());
    let letter = |s: &str| s.chars().next().expect("a letter");
    for (prefix, columns, rows) in [
        ("gen", 1, shape.size),
        ("vec", 1, shape.size.max(2)),
        ("mat", shape.columns, shape.rows),
        ("sq", shape.columns, shape.columns),
        ("col", 1, shape.rows),
        ("row", 1, shape.columns),
    ] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return Some(match rest.strip_suffix('t') {
                Some(rest) => scalar_type(letter(rest), rows, columns),
                None => scalar_type(letter(rest), columns, rows),
            });
        }
    }
    let scalar = letter(&text);
    Some(match text[1..].split_once('x') {
        Some((c, r)) => scalar_type(scalar, c.parse().ok()?, r.parse().ok()?),
        None => scalar_type(scalar, 1, text[1..].parse().unwrap_or(1)),
    })
}

/// Every shape a line distinguishes.
fn shapes(line: &str) -> Vec<Shape> {
    let matrix = ["mat", "sq", "col%", "row%"].iter().any(|word| line.contains(word))
        && !line.contains("matrixComp(");
    let sizes: Vec<usize> =
        if line.contains("gen") || line.contains("vec") { vec![1, 2, 3, 4] } else { vec![1] };
    let sides: Vec<usize> = if matrix { vec![2, 3, 4] } else { vec![2] };
    let mut shapes = Vec::new();
    for &size in &sizes {
        for &columns in &sides {
            shapes.extend(sides.iter().map(|&rows| Shape { size, columns, rows }));
        }
    }
    shapes
}

fn operation(line: &str, kind: char, shape: Shape) -> Option<Operation> {
    let parts: Vec<&str> = line.split(" | ").collect();
    let [result, expression, parameters, rule] = parts[..] else { panic!("{line}") };
    let (rule, domains) = rule.split_once(' ').expect("rule and domains");
    let domains: Vec<Domain> = domains.split(' ').map(Domain::parse).collect();
    let mut list = Vec::new();
    for (i, text) in parameters.split(',').enumerate() {
        let (text, out) = text.strip_prefix("out ").map_or((text, false), |rest| (rest, true));
        let domain = domains[i.min(domains.len() - 1)];
        list.push((parse_type(text, kind, shape)?, out, domain));
    }
    let result = parse_type(result, kind, shape)?;
    let expression = expression.replace("\\|", "|").replace("TYPE", &result.name());
    let expression = if expression.chars().all(char::is_alphanumeric) {
        let arguments: Vec<&str> = ["a", "b", "c", "d"][..list.len()].to_vec();
        format!("{expression}({})", arguments.join(", "))
    } else {
        expression
    };
    Some(Operation {
        line: line.into(),
        expression,
        result,
        parameters: list,
        rule: Rule::parse(rule),
    })
}

/// How an operand reaches the operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Straight from a uniform: one value for all lanes.
    Uniform,
    /// Another value in each lane.
    PerLane,
}

impl Operation {
    /// Results by GLSL variable.
    fn results(&self) -> Vec<(Ty, String)> {
        let out = self.parameters.iter().enumerate().filter(|(_, p)| p.1);
        let mut results = vec![(self.result, "r".to_string())];
        results.extend(out.map(|(i, p)| (p.0, name(i).to_string())));
        results
    }

    /// The scalar letter of each output dword.
    fn dwords(&self) -> Vec<char> {
        self.results().iter().flat_map(|(ty, _)| vec![ty.scalar; ty.dwords()]).collect()
    }

    fn source(&self, forms: &[Form]) -> String {
        let mut text = String::from("#version 460\n#extension GL_ARB_gpu_shader_fp64 : enable\n");
        if self
            .results()
            .iter()
            .map(|r| r.0)
            .chain(self.parameters.iter().map(|p| p.0))
            .any(is_extension_type)
        {
            for extension in
                ["AMD_gpu_shader_half_float", "AMD_gpu_shader_int16", "ARB_gpu_shader_int64"]
            {
                let _ = writeln!(text, "#extension GL_{extension} : enable");
            }
        }
        for (i, (ty, out, _)) in self.parameters.iter().enumerate().filter(|(_, p)| !p.1) {
            debug_assert!(!out);
            let _ = writeln!(text, "uniform {} u{}[{ELEMENTS}];", ty.name(), name(i));
        }
        let targets = self.targets();
        for i in 0..targets {
            let _ = writeln!(text, "layout(location = {i}) out uvec4 o{i};");
        }
        text.push_str(
            "void main() {\n  int lane = int(gl_FragCoord.x) & 1 | (int(gl_FragCoord.y) & 1) << 1;\n",
        );
        for (i, (ty, out, _)) in self.parameters.iter().enumerate() {
            let (n, ty) = (name(i), ty.name());
            let _ = match (out, forms[i]) {
                (true, _) => writeln!(text, "  {ty} {n};"),
                (_, Form::Uniform) => writeln!(text, "  {ty} {n} = u{n}[1];"),
                (_, Form::PerLane) => writeln!(text, "  {ty} {n} = u{n}[lane];"),
            };
        }
        match self.result.scalar {
            'V' => writeln!(text, "  {};", self.expression),
            _ => writeln!(text, "  {} r = {};", self.result.name(), self.expression),
        }
        .expect("a string takes text");
        let raw: Vec<String> = self.results().iter().flat_map(|(ty, n)| ty.raw(n)).collect();
        for (i, chunk) in raw.chunks(4).enumerate() {
            let mut parts = chunk.to_vec();
            parts.resize(4, "0u".into());
            let _ = writeln!(text, "  o{i} = uvec4({});", parts.join(", "));
        }
        text.push_str("}\n");
        text
    }

    fn targets(&self) -> usize {
        self.dwords().len().div_ceil(4)
    }
}

fn name(parameter: usize) -> &'static str {
    ["a", "b", "c", "d"][parameter]
}

/// Operand values by parameter and array element.
type Operands = Vec<Vec<Vec<u64>>>;

fn operands(operation: &Operation, rng: &mut Rng) -> Operands {
    let values = operation
        .parameters
        .iter()
        .map(|&(ty, _, domain)| (0..ELEMENTS).map(|_| ty.random(rng, domain)).collect::<Vec<_>>());
    let mut values: Operands = values.collect();
    // Equal operands now and then: comparisons, min, max, step.
    if values.len() > 1 && rng.one_in(3) && values[0][0].len() == values[1][0].len() {
        let lane = rng.below(ELEMENTS);
        values[1][lane] = values[0][lane].clone();
    }
    values
}

/// The largest magnitude among the operands.
fn largest(operation: &Operation, operands: &Operands) -> f64 {
    let mut largest = 0.0f64;
    for ((ty, out, _), elements) in operation.parameters.iter().zip(operands) {
        for &bits in elements.iter().flatten().filter(|_| !out) {
            let value = match ty.scalar {
                'F' => f64::from(f32::from_bits(bits as u32)),
                'D' => f64::from_bits(bits),
                'H' => vocabulary::half::to_f32(bits as u16).into(),
                _ => 0.0,
            };
            largest = largest.max(value.abs());
        }
    }
    largest
}

/// Runs one operation on all executors; gives what disagrees.
fn check(operation: &Operation, generation: &str, rng: &mut Rng) -> Result<(), String> {
    // Derivatives are of the pixel's position, whose change is the same all over the quad.
    let forms = match operation.expression.contains("gl_FragCoord") {
        true => &[Form::Uniform][..],
        false => &[Form::Uniform, Form::PerLane],
    };
    let forms: Vec<Form> = operation.parameters.iter().map(|_| rng.pick(forms)).collect();
    let source = operation.source(&forms);
    let shader = Shader::new(&source, operation.targets());
    let lowered = shader.lowered();
    let optimized = shader.optimized(generation, &compiler::CodegenOptions::default())?;
    let mut device = simulator(generation);
    let dwords = operation.dwords();
    for _ in 0..ROUNDS {
        let values = operands(operation, rng);
        let mut block = shader.block();
        for (i, (ty, _, _)) in operation.parameters.iter().enumerate() {
            for (element, value) in values[i].iter().enumerate() {
                shader.put(
                    &mut block,
                    &format!("u{}", name(i)),
                    element as u32,
                    ty.bytes(),
                    ty.rows,
                    value,
                );
            }
        }
        let reference = shader.interpret(&block).map_err(|e| format!("interpreter: {e}"))?;
        let early = shader.evaluate(&lowered, &block).map_err(|e| format!("evaluator: {e}"))?.0;
        let (late, _) = shader
            .evaluate(&optimized, &block)
            .map_err(|e| format!("evaluator after passes: {e}"))?;
        let simulated = shader.shade(&mut device, &block).map_err(|e| format!("simulator: {e}"))?.0;
        let largest = largest(operation, &values);
        let near = |scalar, x, y| operation.rule.holds(scalar, x, y, largest);
        let undefined = |lane: usize, row: usize| reference.undefined[lane][row];
        let others =
            [("evaluator", &early), ("evaluator after passes", &late), ("simulator", &simulated)];
        for (what, pixels) in others {
            let found = differences(&dwords, &reference.bits, pixels, undefined, near);
            if !found.is_empty() {
                let operands = describe(operation, &values);
                return Err(format!(
                    "interpreter against {what}: {}\n{operands}\n{source}",
                    found.join("; ")
                ));
            }
        }
        // Expanded in the back end or fused, inexact operations may come out differently.
        let same = |scalar, x, y| match operation.rule {
            Rule::Exact => identical(scalar, x, y),
            _ => near(scalar, x, y),
        };
        let found = differences(&dwords, &late, &simulated, undefined, same);
        if !found.is_empty() {
            let operands = describe(operation, &values);
            return Err(format!(
                "evaluator against simulator: {}\n{operands}\n{source}",
                found.join("; ")
            ));
        }
    }
    Ok(())
}

fn describe(operation: &Operation, operands: &Operands) -> String {
    let mut text = String::new();
    for (i, (ty, out, _)) in operation.parameters.iter().enumerate() {
        if !out {
            for (element, values) in operands[i].iter().enumerate() {
                let values: Vec<String> = values.iter().map(|&v| show(ty.scalar, v)).collect();
                let _ = writeln!(text, "  u{}[{element}] = {}", name(i), values.join(", "));
            }
        }
    }
    text
}

/// Every operation wanted of a table: of each line one random shape, or all; `kinds` replaces `%`.
fn wanted<'a>(
    lines: impl Iterator<Item = &'a str>,
    kinds: &[char],
    rng: &mut Rng,
) -> Vec<Operation> {
    let all = std::env::var("CROSS_SHAPES").is_ok_and(|v| v == "all");
    let filter = std::env::var("CROSS_FILTER").unwrap_or_default();
    let mut list = Vec::new();
    for line in lines.filter(|l| !l.is_empty() && l.contains(&filter)) {
        let generic = line.contains('%') && !line.contains("a % b");
        for &kind in if generic { kinds } else { &kinds[..1] } {
            let mut shapes = shapes(line);
            if !all {
                shapes = vec![rng.pick(&shapes)];
            }
            list.extend(shapes.into_iter().filter_map(|shape| operation(line, kind, shape)));
        }
    }
    list
}

fn seed() -> u64 {
    std::env::var("CROSS_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1)
}

#[test]
fn operations_agree() {
    let mut rng = Rng::new(seed());
    let operations = wanted(OPERATIONS.lines(), &['F', 'D'], &mut rng);
    all_agree(&operations, "ivb,hsw", &mut rng);
}

#[test]
fn operations_of_16_bits_agree() {
    let mut rng = Rng::new(seed());
    let narrowed = narrowed();
    let lines = narrowed.iter().map(String::as_str).chain(SIXTEEN_BIT.lines());
    let operations = wanted(lines, &['H'], &mut rng);
    all_agree(&operations, "bdw,chv,skl", &mut rng);
}

/// Runs operations on the generations asked for, or on these.
fn all_agree(operations: &[Operation], generations: &str, rng: &mut Rng) {
    let generations = std::env::var("CROSS_GENERATIONS").unwrap_or_else(|_| generations.into());
    let mut failures = Vec::new();
    let every = operations.iter().flat_map(|o| generations.split(',').map(move |g| (o, g)));
    for (operation, generation) in every {
        let run = || check(operation, generation, rng);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let problem = match result {
            Ok(Ok(())) => continue,
            Ok(Err(problem)) => problem,
            Err(_) => "panic".to_string(),
        };
        let types: Vec<String> = operation.parameters.iter().map(|p| p.0.name()).collect();
        failures.push(format!(
            "== {generation}: {} ({})\n{problem}",
            operation.line,
            types.join(", ")
        ));
    }
    assert!(
        failures.is_empty(),
        "seed {}: {} of {} operations disagree\n{}",
        seed(),
        failures.len(),
        operations.len(),
        failures.join("\n")
    );
}
