//! Numbers of vertices that a geometry shader has emitted, where they are known: at each emission,
//! the number of those before it.

use ir::{Inst, InstKind, IntrinsicOp, Jump, Node, Shader, Step};
use std::collections::BTreeSet;

/// Vertices emitted to each stream; none where it depends on the path.
type Counts = [Option<u32>; 4];

/// Emissions of the streams all of whose emissions have a known number.
#[derive(Debug, Default)]
pub(super) struct EmittedVertices {
    /// In the order of the code.
    before: Vec<u32>,
    unknown: BTreeSet<u8>,
}

struct Frame {
    /// Counts at the start of the construct.
    start: Counts,
    /// Counts at the end of the first arm; none if it is never reached.
    first_arm: Option<Counts>,
    in_else: bool,
}

impl EmittedVertices {
    pub(super) fn new(shader: &Shader) -> EmittedVertices {
        let mut result = EmittedVertices::default();
        let mut counts: Counts = [Some(0); 4];
        // The end of the current block is never reached.
        let mut left = false;
        let mut frames: Vec<Frame> = Vec::new();
        for step in shader.walk() {
            match step {
                Step::Block(block) => {
                    for &inst in &shader.blocks[block].insts {
                        let Some(stream) = emission(shader, inst) else { continue };
                        let count = &mut counts[usize::from(stream & 3)];
                        result.before.push(count.unwrap_or(0));
                        match count {
                            Some(count) => *count += 1,
                            None => {
                                result.unknown.insert(stream);
                            }
                        }
                    }
                    left |= matches!(
                        shader.blocks[block].jump,
                        Some(Jump::Break | Jump::Continue | Jump::Halt)
                    );
                }
                Step::If(_) => {
                    frames.push(Frame { start: counts, first_arm: None, in_else: false });
                }
                Step::Else(_) => {
                    if let Some(frame) = frames.last_mut() {
                        frame.first_arm = (!left).then_some(counts);
                        frame.in_else = true;
                        counts = frame.start;
                        left = false;
                    }
                }
                Step::EndIf(_) => {
                    let Some(frame) = frames.pop() else { continue };
                    let second = (!left).then_some(counts);
                    let (first, second) = match frame.in_else {
                        true => (frame.first_arm, second),
                        false => (second, Some(frame.start)),
                    };
                    left = first.is_none() && second.is_none();
                    counts = match (first, second) {
                        (Some(first), Some(second)) => joined(first, second),
                        (first, second) => first.or(second).unwrap_or([None; 4]),
                    };
                }
                Step::Loop(node) => {
                    for stream in emitted_in(shader, node) {
                        counts[usize::from(stream & 3)] = None;
                    }
                }
                Step::EndLoop(_) => left = false,
            }
        }
        result
    }

    /// The number of vertices emitted before an emission, the `index`-th of the code, if all
    /// numbers of its stream are known.
    pub(super) fn before(&self, index: usize, stream: u8) -> Option<u32> {
        self.before.get(index).copied().filter(|_| !self.unknown.contains(&stream))
    }
}

fn joined(a: Counts, b: Counts) -> Counts {
    std::array::from_fn(|stream| a[stream].filter(|_| a[stream] == b[stream]))
}

fn emission(shader: &Shader, inst: Inst) -> Option<u8> {
    match &shader.insts[inst].kind {
        InstKind::Intrinsic(intrinsic) if intrinsic.op == IntrinsicOp::EmitVertex => {
            Some(intrinsic.fields.stream)
        }
        _ => None,
    }
}

/// Streams to which a loop emits.
fn emitted_in(shader: &Shader, node: Node) -> Vec<u8> {
    let mut streams = Vec::new();
    let mut inside = false;
    for step in shader.walk() {
        match step {
            Step::Loop(other) if other == node => inside = true,
            Step::EndLoop(other) if other == node => break,
            Step::Block(block) if inside => {
                let insts = shader.blocks[block].insts.iter();
                streams.extend(insts.filter_map(|&inst| emission(shader, inst)));
            }
            _ => {}
        }
    }
    streams
}
