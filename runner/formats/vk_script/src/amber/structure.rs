//! `STRUCT`.

use std::collections::HashSet;
use std::sync::Arc;

use super::parser::Parser;
use crate::formats::{PART_LIMIT, Structure, StructureMember, Type, typed_format};
use crate::model::MemoryLayout;
use crate::text::Step;
use crate::tokens::{Kind, Token};

/// Most levels of structures in structures.
const DEPTH_LIMIT: u32 = 32;

/// The levels of structures that a member adds.
fn depth(member: &StructureMember) -> u32 {
    match &member.ty {
        Type::Structure(inner) => inner.depth + 1,
        Type::Number(_) => 0,
    }
}

impl<'a> Parser<'a> {
    pub(super) fn structure(&mut self) -> Step<()> {
        let (name, start) = self.cursor.word("the name of the structure")?;
        if name == "STRIDE" {
            return Err(start.fault("expected the name of the structure"));
        }
        if self.type_named(name).is_some() || crate::formats::format_by_name(name).is_some() {
            return Err(start.fault("a type of this name exists"));
        }
        let mut structure = Structure::default();
        if self.cursor.accept("STRIDE") {
            structure.stride = Some(self.cursor.unsigned("a stride in bytes")?);
        }
        self.cursor.end_of_line("STRUCT")?;
        let mut members = HashSet::new();
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::LineEnd => {}
                Kind::Word("END") => break,
                Kind::Word(ty) => {
                    structure.members.push(self.member(ty, &token, name, &mut members)?)
                }
                Kind::End => return Err(start.fault("`STRUCT` without `END`")),
                _ => return Err(token.fault("expected the type of a member")),
            }
            structure.depth = structure.members.last().map_or(0, depth).max(structure.depth);
            if structure.depth > DEPTH_LIMIT {
                return Err(token.fault(format!("more than {DEPTH_LIMIT} levels of structures")));
            }
            if structure.members.len() > PART_LIMIT {
                return Err(start.fault(format!("structure of more than {PART_LIMIT} members")));
            }
        }
        self.cursor.end_of_line("END")?;
        self.declare(name, &start, structure)
    }

    fn member(
        &mut self,
        ty: &'a str,
        token: &Token<'a>,
        structure: &str,
        seen: &mut HashSet<&'a str>,
    ) -> Step<StructureMember> {
        if ty == structure {
            return Err(token.fault("a structure cannot contain itself"));
        }
        let ty = self.type_named(ty).ok_or_else(|| token.fault("unknown type"))?;
        let (name, name_token) = self.cursor.word("the name of the member")?;
        if !seen.insert(name) {
            return Err(name_token.fault("a member of this name exists"));
        }
        let is_matrix = matches!(&ty, Type::Number(number) if number.columns > 1);
        let is_array = matches!(&ty, Type::Number(number) if number.array);
        let mut member = StructureMember { ty, offset: None, matrix_stride: None };
        loop {
            let token = self.cursor.next();
            match token.kind {
                Kind::Word("OFFSET") => {
                    member.offset = Some(self.cursor.unsigned("an offset in bytes")?);
                }
                Kind::Word("ARRAY_STRIDE") if is_array => {
                    // A member has one element: arrays of a size cannot be written.
                    self.cursor.unsigned("a stride in bytes")?;
                }
                Kind::Word("ARRAY_STRIDE") => {
                    return Err(token.fault("`ARRAY_STRIDE` is for arrays only"));
                }
                Kind::Word("MATRIX_STRIDE") if is_matrix => {
                    member.matrix_stride = Some(self.cursor.unsigned("a stride in bytes")?);
                }
                Kind::Word("MATRIX_STRIDE") => {
                    return Err(token.fault("`MATRIX_STRIDE` is for matrices only"));
                }
                Kind::LineEnd | Kind::End => return Ok(member),
                _ => return Err(token.fault("unexpected text in a member of a structure")),
            }
        }
    }

    /// Adds a structure that has a layout.
    fn declare(&mut self, name: &str, token: &Token<'a>, structure: Structure) -> Step<()> {
        let structure = Arc::new(structure);
        let ty = Type::Structure(structure.clone());
        let format = typed_format(&ty, name, MemoryLayout::Std430)
            .map_err(|fault| token.fault(fault.message()))?;
        if format.parts.is_empty() {
            return Err(token.fault("structure without members"));
        }
        self.budget.parts(format.parts.len()).map_err(|message| token.fault(message))?;
        self.names.structures.insert(name.to_owned(), structure);
        Ok(())
    }
}
