//! A module as its instructions, with the tables that rules and translation ask.

use std::ops::Range;

use rspirv::spirv::{AddressingModel, Capability, Decoration, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Error;
use crate::grammar::OperandKind;

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Id(u32),
    /// A literal of one word.
    Literal(u32),
    /// A literal of two words.
    Wide(u64),
    Text(Box<str>),
    /// An enumerant or mask.
    Enumerant(OperandKind, u32),
}

/// An instruction. Types and ids that it does not have are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    pub(crate) ty: u32,
    pub(crate) id: u32,
    /// Operands without type and result.
    pub(crate) operands: Vec<Operand>,
    /// Number of its first word in the module.
    pub(crate) offset: usize,
}

impl Instruction {
    /// The id that is an operand.
    pub(crate) fn id_at(&self, index: usize) -> Option<u32> {
        match self.operands.get(index)? {
            Operand::Id(id) => Some(*id),
            _ => None,
        }
    }

    /// The word of a literal or enumerant that is an operand.
    pub(crate) fn literal_at(&self, index: usize) -> Option<u32> {
        match self.operands.get(index)? {
            Operand::Literal(word) | Operand::Enumerant(_, word) => Some(*word),
            Operand::Wide(wide) => u32::try_from(*wide).ok(),
            Operand::Id(_) | Operand::Text(_) => None,
        }
    }

    /// The bits of a literal that is an operand.
    pub(crate) fn bits_at(&self, index: usize) -> Option<u64> {
        match self.operands.get(index)? {
            Operand::Wide(wide) => Some(*wide),
            _ => self.literal_at(index).map(u64::from),
        }
    }

    /// The string that is an operand.
    pub(crate) fn text_at(&self, index: usize) -> Option<&str> {
        match self.operands.get(index)? {
            Operand::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The ids among the operands from one on, in order.
    pub(crate) fn ids_from(&self, first: usize) -> impl Iterator<Item = u32> + '_ {
        self.operands.iter().skip(first).filter_map(|operand| match operand {
            Operand::Id(id) => Some(*id),
            _ => None,
        })
    }

    /// True if it ends a block.
    pub(crate) fn is_terminator(&self) -> bool {
        matches!(
            self.op,
            Op::Branch
                | Op::BranchConditional
                | Op::Switch
                | Op::Return
                | Op::ReturnValue
                | Op::Kill
                | Op::TerminateInvocation
                | Op::Unreachable
        )
    }

    /// Labels that a terminator may go to.
    pub(crate) fn targets(&self) -> Vec<u32> {
        match self.op {
            Op::Branch => self.ids_from(0).collect(),
            Op::BranchConditional | Op::Switch => self.ids_from(1).collect(),
            _ => Vec::new(),
        }
    }
}

/// A decoration with its literals and ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decorated {
    pub(crate) decoration: Decoration,
    pub(crate) word: Option<u32>,
}

/// A block: instructions from its label to its terminator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LabeledBlock {
    pub(crate) label: u32,
    /// Instructions after the label, the terminator included.
    pub(crate) body: Range<usize>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// The `OpFunction`.
    pub(crate) definition: usize,
    /// The `OpFunctionParameter`s.
    pub(crate) parameters: Range<usize>,
    pub(crate) blocks: Vec<LabeledBlock>,
}

/// A module: instructions with unique results, functions made of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub(crate) version: u32,
    pub(crate) bound: u32,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) capabilities: FxHashSet<Capability>,
    /// True if pointers have no addresses.
    pub(crate) is_logical: bool,
    pub(crate) functions: Vec<Function>,
    /// Number of the first instruction of a function.
    pub(crate) first_function: usize,
    definitions: FxHashMap<u32, usize>,
    names: FxHashMap<u32, Box<str>>,
    member_names: FxHashMap<(u32, u32), Box<str>>,
    decorations: FxHashMap<u32, Vec<Decorated>>,
    member_decorations: FxHashMap<(u32, u32), Vec<Decorated>>,
}

impl Module {
    /// Indexes instructions.
    ///
    /// # Errors
    /// A result that is one already, or an instruction outside of a block that belongs in one.
    pub(crate) fn new(
        version: u32,
        bound: u32,
        instructions: Vec<Instruction>,
    ) -> Result<Module, Error> {
        let first = instructions.iter().position(|i| i.op == Op::Function);
        let mut module = Module {
            version,
            bound,
            capabilities: FxHashSet::default(),
            is_logical: true,
            functions: Vec::new(),
            first_function: first.unwrap_or(instructions.len()),
            definitions: FxHashMap::default(),
            names: FxHashMap::default(),
            member_names: FxHashMap::default(),
            decorations: FxHashMap::default(),
            member_decorations: FxHashMap::default(),
            instructions,
        };
        module.index_annotations();
        module.index_results()?;
        module.functions = module.find_functions()?;
        Ok(module)
    }

    fn index_results(&mut self) -> Result<(), Error> {
        for (index, instruction) in self.instructions.iter().enumerate() {
            if instruction.id != 0 && self.definitions.insert(instruction.id, index).is_some() {
                let name = self.name(instruction.id);
                let message = format!("{name} is the result of two instructions");
                return Err(Error::new(instruction.offset, message));
            }
        }
        Ok(())
    }

    fn index_annotations(&mut self) {
        let mut groups = Vec::new();
        for instruction in &self.instructions[..self.first_function] {
            let target = instruction.id_at(0).unwrap_or(0);
            match instruction.op {
                Op::Capability => {
                    let word = instruction.literal_at(0);
                    self.capabilities.extend(word.and_then(Capability::from_u32));
                }
                Op::MemoryModel => {
                    let addressing = instruction.literal_at(0);
                    self.is_logical = addressing == Some(AddressingModel::Logical as u32);
                }
                Op::Name => {
                    let name = instruction.text_at(1).unwrap_or_default();
                    self.names.insert(target, name.into());
                }
                Op::MemberName => {
                    let member = instruction.literal_at(1).unwrap_or(0);
                    let name = instruction.text_at(2).unwrap_or_default();
                    self.member_names.insert((target, member), name.into());
                }
                Op::Decorate | Op::DecorateId | Op::DecorateString => {
                    let list = self.decorations.entry(target).or_default();
                    list.extend(decorated(instruction, 1));
                }
                Op::MemberDecorate | Op::MemberDecorateString => {
                    let member = instruction.literal_at(1).unwrap_or(0);
                    let list = self.member_decorations.entry((target, member)).or_default();
                    list.extend(decorated(instruction, 2));
                }
                Op::GroupDecorate | Op::GroupMemberDecorate => groups.push(instruction.clone()),
                _ => {}
            }
        }
        groups.iter().for_each(|group| self.apply_group(group));
    }

    fn apply_group(&mut self, group: &Instruction) {
        let Some(all) = group.id_at(0).and_then(|id| self.decorations.get(&id)).cloned() else {
            return;
        };
        if group.op == Op::GroupDecorate {
            for target in group.ids_from(1) {
                self.decorations.entry(target).or_default().extend_from_slice(&all);
            }
            return;
        }
        for pair in group.operands[1..].chunks_exact(2) {
            if let [Operand::Id(target), Operand::Literal(member)] = pair {
                let list = self.member_decorations.entry((*target, *member)).or_default();
                list.extend_from_slice(&all);
            }
        }
    }

    fn find_functions(&self) -> Result<Vec<Function>, Error> {
        let mut functions = Vec::new();
        let mut at = self.first_function;
        while at < self.instructions.len() {
            if matches!(self.instructions[at].op, Op::Line | Op::NoLine) {
                at += 1;
                continue;
            }
            let (function, next) = self.find_function(at)?;
            functions.push(function);
            at = next;
        }
        Ok(functions)
    }

    /// Returns the function that begins at an instruction, and the number of the one behind it.
    fn find_function(&self, definition: usize) -> Result<(Function, usize), Error> {
        let misplaced = |index: usize, wanted: &str| {
            let index = index.min(self.instructions.len() - 1);
            let found = &self.instructions[index];
            self.error(found, format!("expected {wanted} here"))
        };
        if self.instructions[definition].op != Op::Function {
            return Err(misplaced(definition, "OpFunction"));
        }
        let op = |index: usize| self.instructions.get(index).map(|i| i.op);
        let skip_lines = |mut index: usize| {
            while matches!(op(index), Some(Op::Line | Op::NoLine)) {
                index += 1;
            }
            index
        };
        let first = skip_lines(definition + 1);
        let mut at = first;
        while op(at) == Some(Op::FunctionParameter) {
            at += 1;
        }
        let parameters = first..at;
        let mut blocks = Vec::new();
        loop {
            at = skip_lines(at);
            match op(at) {
                Some(Op::FunctionEnd) => break,
                Some(Op::Label) => {}
                _ => return Err(misplaced(at, "OpLabel or OpFunctionEnd")),
            }
            let first = at + 1;
            at = first;
            while self.instructions.get(at).is_some_and(|i| !i.is_terminator()) {
                if matches!(op(at), Some(Op::Label | Op::FunctionEnd | Op::Function)) {
                    return Err(misplaced(at, "the end of a block"));
                }
                at += 1;
            }
            if at >= self.instructions.len() {
                return Err(misplaced(at, "the end of a block"));
            }
            at += 1;
            blocks.push(LabeledBlock { label: self.instructions[first - 1].id, body: first..at });
        }
        Ok((Function { definition, parameters, blocks }, at + 1))
    }

    /// The instructions outside of functions.
    pub(crate) fn globals(&self) -> &[Instruction] {
        &self.instructions[..self.first_function]
    }

    /// The function that an id defines.
    pub(crate) fn function(&self, id: u32) -> Option<&Function> {
        let definition = self.index_of(id)?;
        let found = self.functions.binary_search_by_key(&definition, |f| f.definition);
        found.ok().map(|index| &self.functions[index])
    }

    /// Instructions of a function's blocks.
    pub(crate) fn body_of<'m>(
        &'m self,
        function: &'m Function,
    ) -> impl Iterator<Item = &'m Instruction> + 'm {
        function.blocks.iter().flat_map(|block| &self.instructions[block.body.clone()])
    }

    /// The functions that a function may call, it included, without those in `seen`, which gets
    /// all of them. Ids that are no functions are left out.
    pub(crate) fn reached(&self, id: u32, seen: &mut FxHashSet<u32>) -> Vec<&Function> {
        let (mut open, mut list) = (vec![id], Vec::new());
        while let Some(id) = open.pop() {
            let Some(function) = self.function(id).filter(|_| seen.insert(id)) else { continue };
            let calls = self.body_of(function).filter(|i| i.op == Op::FunctionCall);
            open.extend(calls.filter_map(|call| call.id_at(0)));
            list.push(function);
        }
        list
    }

    /// Name of the set that an extended instruction is of.
    pub(crate) fn set_of(&self, instruction: &Instruction) -> Option<&str> {
        self.get(instruction.id_at(0)?)?.text_at(0)
    }

    /// The instruction whose result an id is.
    pub(crate) fn get(&self, id: u32) -> Option<&Instruction> {
        self.definitions.get(&id).map(|&index| &self.instructions[index])
    }

    /// The number of the instruction whose result an id is.
    pub(crate) fn index_of(&self, id: u32) -> Option<usize> {
        self.definitions.get(&id).copied()
    }

    /// `%name`, or `%12`.
    pub(crate) fn name(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) if !name.is_empty() => format!("%{name}"),
            _ => format!("%{id}"),
        }
    }

    /// The name that `OpName` gives.
    pub(crate) fn given_name(&self, id: u32) -> Option<&str> {
        self.names.get(&id).map(|name| &**name).filter(|name| !name.is_empty())
    }

    /// The name of a structure's member.
    pub(crate) fn member_name(&self, ty: u32, member: u32) -> String {
        match self.member_names.get(&(ty, member)) {
            Some(name) if !name.is_empty() => name.to_string(),
            _ => format!("m{member}"),
        }
    }

    /// Decorations of an id.
    pub(crate) fn decorations(&self, id: u32) -> &[Decorated] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Decorations of a structure's member.
    pub(crate) fn member_decorations(&self, ty: u32, member: u32) -> &[Decorated] {
        self.member_decorations.get(&(ty, member)).map_or(&[], Vec::as_slice)
    }

    /// True if an id has a decoration.
    pub(crate) fn has(&self, id: u32, decoration: Decoration) -> bool {
        self.decorations(id).iter().any(|d| d.decoration == decoration)
    }

    /// The literal of an id's decoration.
    pub(crate) fn literal(&self, id: u32, decoration: Decoration) -> Option<u32> {
        literal(self.decorations(id), decoration)
    }

    /// True if a structure's member has a decoration.
    pub(crate) fn member_has(&self, ty: u32, member: u32, decoration: Decoration) -> bool {
        self.member_decorations(ty, member).iter().any(|d| d.decoration == decoration)
    }

    /// The literal of a member's decoration.
    pub(crate) fn member_literal(
        &self,
        ty: u32,
        member: u32,
        decoration: Decoration,
    ) -> Option<u32> {
        literal(self.member_decorations(ty, member), decoration)
    }

    /// An error at an instruction.
    pub(crate) fn error(&self, instruction: &Instruction, message: impl AsRef<str>) -> Error {
        let result = match instruction.id {
            0 => String::new(),
            id => format!("{} = ", self.name(id)),
        };
        let message = format!("{result}Op{:?}: {}", instruction.op, message.as_ref());
        Error::new(instruction.offset, message)
    }
}

/// The literal of a decoration in a list.
pub(crate) fn literal(list: &[Decorated], decoration: Decoration) -> Option<u32> {
    list.iter().find(|d| d.decoration == decoration).and_then(|d| d.word)
}

/// The decoration that begins with an operand.
fn decorated(instruction: &Instruction, first: usize) -> Option<Decorated> {
    let decoration = Decoration::from_u32(instruction.literal_at(first)?)?;
    let word = instruction.literal_at(first + 1).or_else(|| instruction.id_at(first + 1));
    Some(Decorated { decoration, word })
}
