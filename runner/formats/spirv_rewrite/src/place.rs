//! Places of instructions, and values that can be used there.

use std::collections::BTreeSet;

use crate::random::Random;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op, Op};

use crate::draft::Draft;
use crate::flow::Flow;

/// Places that a transformation looks at, at most.
pub(crate) const TRIES: usize = 24;

/// The place in front of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) function: usize,
    pub(crate) block: usize,
    pub(crate) index: usize,
}

/// A use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    /// The place in front of the instruction that has the operand, and of its merge instruction.
    pub(crate) place: Place,
    /// The number of the instruction in its block.
    index: usize,
    pub(crate) operand: usize,
    pub(crate) id: u32,
}

/// Number of instructions of a block that have to be its first ones.
pub(crate) fn prologue(body: &[Instruction]) -> usize {
    let is_first =
        |i: &Instruction| matches!(i.class.opcode, Op::Phi | Op::Variable | Op::Line | Op::NoLine);
    body.iter().take_while(|i| is_first(i)).count()
}

/// The first of the instructions that end a block: its merge instruction, or its terminator.
pub(crate) fn epilogue(body: &[Instruction]) -> usize {
    let is_merge = |i: &Instruction| matches!(i.class.opcode, Op::SelectionMerge | Op::LoopMerge);
    body.iter().position(is_merge).unwrap_or(body.len().saturating_sub(1))
}

impl Draft {
    /// A random function with its flow.
    pub(crate) fn any_function(&self, random: &mut Random) -> Option<(usize, Flow)> {
        let all: Vec<usize> = (0..self.module.functions.len())
            .filter(|&number| !self.module.functions[number].blocks.is_empty())
            .collect();
        let function = (!all.is_empty()).then(|| random.pick(&all))?;
        Some((function, Flow::new(&self.module.functions[function])))
    }

    /// The place in front of a random instruction of a reachable block.
    pub(crate) fn any_instruction(
        &self,
        random: &mut Random,
        fits: impl Fn(&Draft, &Instruction) -> bool,
    ) -> Option<Place> {
        let (function, flow) = self.any_function(random)?;
        let mut all = Vec::new();
        for (block, of) in self.module.functions[function].blocks.iter().enumerate() {
            let found = of.instructions.iter().enumerate().filter(|(_, i)| fits(self, i));
            let places = found.map(|(index, _)| Place { function, block, index });
            all.extend(places.filter(|place| flow.is_reachable(place.block)));
        }
        (!all.is_empty()).then(|| random.pick(&all))
    }

    /// A random place of a function.
    pub(crate) fn any_place(
        &self,
        function: usize,
        flow: &Flow,
        random: &mut Random,
    ) -> Option<Place> {
        let count = self.module.functions[function].blocks.len();
        let blocks: Vec<usize> = (0..count).filter(|&block| flow.is_reachable(block)).collect();
        let block = (!blocks.is_empty()).then(|| random.pick(&blocks))?;
        let body = self.body(function, block);
        let (first, last) = (prologue(body), epilogue(body));
        (first <= last).then(|| Place { function, block, index: random.between(first, last) })
    }

    /// A random place at which a block can be split: no header of a loop, and no sampled image is
    /// used on the other side.
    pub(crate) fn place_to_split(
        &self,
        function: usize,
        flow: &Flow,
        random: &mut Random,
    ) -> Option<Place> {
        let place = self.any_place(function, flow, random)?;
        let body = self.body(function, place.block);
        let has_image = body.iter().any(|i| i.class.opcode == Op::SampledImage);
        (!flow.is_loop_header(place.block) && !has_image).then_some(place)
    }

    /// Puts instructions into a place.
    pub(crate) fn insert(&mut self, place: Place, list: Vec<Instruction>) {
        let block = &mut self.module.functions[place.function].blocks[place.block];
        block.instructions.splice(place.index..place.index, list);
    }

    /// Results and parameters that can be used at a place, without constants.
    pub(crate) fn results_at(&self, place: Place, flow: &Flow) -> Vec<u32> {
        let function = &self.module.functions[place.function];
        let mut all: Vec<u32> = function.parameters.iter().filter_map(|p| p.result_id).collect();
        for (number, block) in function.blocks.iter().enumerate() {
            let count = match number == place.block {
                true => place.index,
                false if flow.dominates(number, place.block) => block.instructions.len(),
                false => 0,
            };
            let usable = block.instructions[..count].iter().filter(|i| i.class.opcode != Op::Undef);
            all.extend(usable.filter_map(|i| i.result_id));
        }
        all.retain(|&id| self.type_of(id).is_some());
        all
    }

    /// A random value of a type that can be used at a place, or the zero of the type.
    pub(crate) fn any_value(
        &mut self,
        ty: u32,
        place: Place,
        flow: &Flow,
        random: &mut Random,
    ) -> u32 {
        let is_constant = |i: &&Instruction| {
            matches!(i.class.opcode, Op::Constant | Op::ConstantComposite | Op::ConstantTrue)
        };
        let constants = self.module.types_global_values.iter().filter(is_constant);
        let mut all: Vec<u32> = constants.filter_map(|i| i.result_id).collect();
        all.extend(self.results_at(place, flow));
        all.retain(|&id| self.type_of(id) == Some(ty));
        if all.is_empty() { self.null(ty) } else { random.pick(&all) }
    }

    /// A random use of a plain value that another value of its type can replace.
    pub(crate) fn any_use(
        &self,
        function: usize,
        flow: &Flow,
        random: &mut Random,
        fits: impl Fn(&Draft, &Use) -> bool,
    ) -> Option<Use> {
        let mut all = Vec::new();
        for (block, of) in self.module.functions[function].blocks.iter().enumerate() {
            let (first, last) = (prologue(&of.instructions), epilogue(&of.instructions));
            let instructions = of.instructions.iter().enumerate().skip(first);
            for (index, instruction) in instructions.filter(|_| flow.is_reachable(block)) {
                let place = Place { function, block, index: index.min(last) };
                for operand in self.free_operands(instruction) {
                    if let Some(Operand::IdRef(id)) = instruction.operands.get(operand) {
                        all.push(Use { place, index, operand, id: *id });
                    }
                }
            }
        }
        all.retain(|found| self.is_plain(found.id) && fits(self, found));
        (!all.is_empty()).then(|| random.pick(&all))
    }

    /// Replaces a used value, after instructions that compute the other one.
    pub(crate) fn replace_use(&mut self, found: Use, list: Vec<Instruction>, by: u32) {
        let block = &mut self.module.functions[found.place.function].blocks[found.place.block];
        block.instructions[found.index].operands[found.operand] = Operand::IdRef(by);
        self.insert(found.place, list);
    }

    /// Operands of an instruction that may be any value of their type.
    fn free_operands(&self, instruction: &Instruction) -> Vec<usize> {
        let count = instruction.operands.len();
        match instruction.class.opcode {
            op if is_arithmetic(op) => (0..count).collect(),
            Op::Store => vec![1],
            Op::FunctionCall => (1..count).collect(),
            Op::ExtInst if self.is_free_extension(instruction) => (2..count).collect(),
            Op::ReturnValue | Op::BranchConditional | Op::Switch => vec![0],
            Op::VectorInsertDynamic => (0..count).collect(),
            op if is_sampling(op) => vec![1],
            Op::ImageWrite => vec![1, 2],
            Op::ImageRead => vec![1],
            op if is_atomic(op) => vec![count - 1],
            _ => Vec::new(),
        }
    }

    /// True if an extended instruction takes values alone, none of them constant.
    fn is_free_extension(&self, instruction: &Instruction) -> bool {
        let set = instruction.operands.first().and_then(Operand::id_ref_any);
        let import = |i: &&Instruction| i.result_id == set;
        let import = self.module.ext_inst_imports.iter().find(import);
        let name = import.and_then(|i| i.operands.first());
        name == Some(&Operand::LiteralString("GLSL.std.450".to_owned()))
    }

    /// Results of the module's functions whose uses leave a part of a block.
    pub(crate) fn used_outside(&self, place: Place, end: usize) -> Vec<u32> {
        let function = &self.module.functions[place.function];
        let inside = &function.blocks[place.block].instructions[place.index..end];
        let made: BTreeSet<u32> = inside.iter().filter_map(|i| i.result_id).collect();
        let mut used = BTreeSet::new();
        for (number, block) in function.blocks.iter().enumerate() {
            for (index, instruction) in block.instructions.iter().enumerate() {
                if number == place.block && (place.index..end).contains(&index) {
                    continue;
                }
                used.extend(instruction.operands.iter().filter_map(Operand::id_ref_any));
            }
        }
        made.intersection(&used).copied().collect()
    }
}

/// True if an instruction computes its result from its operands alone, for all their values.
pub(crate) fn is_total(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::SNegate
            | O::FNegate
            | O::IAdd
            | O::ISub
            | O::IMul
            | O::FAdd
            | O::FSub
            | O::FMul
            | O::VectorTimesScalar
            | O::MatrixTimesScalar
            | O::VectorTimesMatrix
            | O::MatrixTimesVector
            | O::MatrixTimesMatrix
            | O::OuterProduct
            | O::Dot
            | O::BitwiseOr
            | O::BitwiseXor
            | O::BitwiseAnd
            | O::Not
            | O::BitReverse
            | O::BitCount
            | O::Any
            | O::All
            | O::IsNan
            | O::IsInf
            | O::LogicalEqual
            | O::LogicalNotEqual
            | O::LogicalOr
            | O::LogicalAnd
            | O::LogicalNot
            | O::Select
            | O::IEqual
            | O::INotEqual
            | O::UGreaterThan
            | O::SGreaterThan
            | O::UGreaterThanEqual
            | O::SGreaterThanEqual
            | O::ULessThan
            | O::SLessThan
            | O::ULessThanEqual
            | O::SLessThanEqual
            | O::FOrdEqual
            | O::FUnordEqual
            | O::FOrdNotEqual
            | O::FUnordNotEqual
            | O::FOrdLessThan
            | O::FUnordLessThan
            | O::FOrdGreaterThan
            | O::FUnordGreaterThan
            | O::FOrdLessThanEqual
            | O::FUnordLessThanEqual
            | O::FOrdGreaterThanEqual
            | O::FUnordGreaterThanEqual
            | O::ConvertSToF
            | O::ConvertUToF
            | O::UConvert
            | O::SConvert
            | O::Bitcast
            | O::CompositeConstruct
            | O::CompositeExtract
            | O::CompositeInsert
            | O::VectorShuffle
            | O::Transpose
            | O::CopyObject
    )
}

/// True if an instruction computes its result from its operands alone.
pub(crate) fn is_arithmetic(op: Op) -> bool {
    use Op as O;
    is_total(op)
        || matches!(
            op,
            O::UDiv
                | O::SDiv
                | O::FDiv
                | O::UMod
                | O::SRem
                | O::SMod
                | O::FRem
                | O::FMod
                | O::ShiftRightLogical
                | O::ShiftRightArithmetic
                | O::ShiftLeftLogical
                | O::BitFieldInsert
                | O::BitFieldSExtract
                | O::BitFieldUExtract
                | O::ConvertFToU
                | O::ConvertFToS
                | O::FConvert
                | O::QuantizeToF16
                | O::VectorExtractDynamic
        )
}

/// True if an instruction takes a coordinate behind a sampled image.
pub(crate) fn is_sampling(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::ImageSampleImplicitLod
            | O::ImageSampleExplicitLod
            | O::ImageSampleDrefImplicitLod
            | O::ImageSampleDrefExplicitLod
            | O::ImageSampleProjImplicitLod
            | O::ImageSampleProjExplicitLod
            | O::ImageFetch
            | O::ImageGather
            | O::ImageDrefGather
    )
}

fn is_atomic(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::AtomicExchange
            | O::AtomicIAdd
            | O::AtomicISub
            | O::AtomicSMin
            | O::AtomicUMin
            | O::AtomicSMax
            | O::AtomicUMax
            | O::AtomicAnd
            | O::AtomicOr
            | O::AtomicXor
    )
}

/// True if an instruction means the same for an invocation without its neighbors.
pub(crate) fn is_alone(instruction: &Instruction) -> bool {
    use Op as O;
    let op = instruction.class.opcode;
    let interpolates = |number: u32| {
        let all = [
            GlslStd450Op::InterpolateAtCentroid,
            GlslStd450Op::InterpolateAtSample,
            GlslStd450Op::InterpolateAtOffset,
        ];
        all.into_iter().any(|one| one as u32 == number)
    };
    match op {
        O::ExtInst => match instruction.operands.get(1) {
            Some(Operand::LiteralExtInstInteger(number)) => !interpolates(*number),
            _ => false,
        },
        O::Load
        | O::Store
        | O::AccessChain
        | O::InBoundsAccessChain
        | O::ImageWrite
        | O::ImageRead
        | O::ImageFetch
        | O::ImageSampleExplicitLod
        | O::ImageTexelPointer
        | O::Image
        | O::VectorInsertDynamic
        | O::ArrayLength => true,
        _ => is_arithmetic(op) || is_atomic(op),
    }
}
