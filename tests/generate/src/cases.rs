//! Draws the cases of a test.

use crate::accept::Accept;
use crate::case::Case;
use crate::operation::{Evaluate, Signature, element};
use crate::pool::{OperandSource, Pool};
use crate::random::Random;
use crate::value::Component;

/// Maximum draws of a test's cases.
const MAX_DRAWS: usize = 20_000;
/// Maximum draws of one component before its scalar operands are replaced.
const MAX_COMPONENT_DRAWS: usize = 200;

/// Number of cases of a test, fewer for larger operands; all lanes of a draw get one.
fn count(signature: &Signature) -> usize {
    if let Some(draws) = signature.draws {
        return draws;
    }
    let largest = signature.arguments.iter().map(|a| a.ty.components()).max().unwrap_or(1);
    let count: usize = match largest.max(signature.result.components()) {
        1 => 14,
        2..=4 => 10,
        _ => 8,
    };
    count.next_multiple_of(signature.cases_per_draw())
}

/// The cases of a test of this name.
pub fn cases(signature: &Signature, name: &str) -> Vec<Case> {
    let random = &mut Random::named(name);
    let mut sources: Vec<OperandSource> =
        signature.arguments.iter().map(|a| OperandSource::new(a.pool, a.ty.scalar)).collect();
    let mut cases: Vec<Case> = Vec::new();
    for _ in 0..MAX_DRAWS {
        let drawn = match &signature.evaluate {
            Evaluate::Elementwise(evaluate) => {
                elementwise(signature, &mut sources, random, evaluate)
            }
            Evaluate::Whole(_) => whole(signature, &mut sources, random),
        };
        cases.extend(drawn.filter(|new| cases.iter().all(|old| differs(old, new))));
        if cases.len() == count(signature) {
            break;
        }
    }
    assert!(cases.len() >= 2, "{name}: only {} cases", cases.len());
    cases
}

/// True if two cases have different operands, by their bits.
fn differs(old: &Case, new: &Case) -> bool {
    let text = |case: &Case| case.arguments.iter().flatten().map(|x| x.text()).collect::<Vec<_>>();
    text(old) != text(new)
}

/// Draws component by component, each until its result is defined and its first operand is new.
fn elementwise(
    signature: &Signature,
    sources: &mut [OperandSource],
    random: &mut Random,
    evaluate: &dyn Fn(&[Component]) -> Option<Accept>,
) -> Option<Case> {
    let shared: Vec<bool> = signature
        .arguments
        .iter()
        .map(|a| a.ty.components() == 1 && signature.result.components() > 1)
        .collect();
    let mut arguments: Vec<Vec<Component>> = vec![Vec::new(); sources.len()];
    for (i, source) in sources.iter_mut().enumerate() {
        source.start(random);
        if shared[i] {
            arguments[i].push(source.draw(random, None));
        }
    }
    let mut accept: Vec<Accept> = Vec::new();
    for _ in 0..signature.result.components() {
        let result = (0..MAX_COMPONENT_DRAWS).find_map(|attempt| {
            let mut operands: Vec<Component> = Vec::new();
            for (i, source) in sources.iter_mut().enumerate() {
                let operand = if shared[i] {
                    arguments[i][0]
                } else {
                    source.draw(random, operands.first().copied())
                };
                operands.push(operand);
            }
            let new =
                (0..operands.len()).all(|i| shared[i] || !contains(&arguments[i], operands[i]));
            let accept = evaluate(&operands)?;
            (new || attempt > MAX_COMPONENT_DRAWS / 2).then_some((operands, accept))
        });
        let (operands, accepted) = result?;
        for (i, operand) in operands.into_iter().enumerate() {
            if !shared[i] {
                arguments[i].push(operand);
            }
        }
        accept.push(accepted);
    }
    Some(Case { arguments, accept })
}

fn contains(list: &[Component], x: Component) -> bool {
    list.iter().any(|y| y.text() == x.text())
}

/// Draws all components; `None` if their result is undefined.
fn whole(
    signature: &Signature,
    sources: &mut [OperandSource],
    random: &mut Random,
) -> Option<Case> {
    let mut arguments: Vec<Vec<Component>> = Vec::new();
    for (argument, source) in signature.arguments.iter().zip(sources) {
        source.start(random);
        let copied = argument.pool == Pool::CopyOfFirst && random.chance(75);
        let mut values: Vec<Component> = Vec::new();
        for i in 0..argument.ty.components() {
            let first = arguments.first().and_then(|first| first.get(i)).copied();
            let value = match first {
                Some(first) if copied => first,
                _ => draw_new(source, random, first, &values),
            };
            values.push(value);
        }
        if copied && random.chance(50) {
            let i = random.below(values.len());
            let first = element(&arguments, i)[0];
            values[i] = source.draw(random, Some(first));
        }
        arguments.push(values);
    }
    let accept = signature.accept(&arguments)?;
    Some(Case { arguments, accept })
}

/// Draws a component unlike the others of its vector, if the source has one.
fn draw_new(
    source: &mut OperandSource,
    random: &mut Random,
    first: Option<Component>,
    others: &[Component],
) -> Component {
    let mut value = source.draw(random, first);
    for _ in 0..20 {
        if !contains(others, value) {
            break;
        }
        value = source.draw(random, first);
    }
    value
}
