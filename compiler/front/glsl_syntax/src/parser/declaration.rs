//! Declarations: variables, functions, structures, interface blocks, precision, lone qualifiers.

use super::{Parsed, Parser};
use crate::ast::{
    BlockId, Decl, DeclId, DeclKind, Declarator, DeclaratorId, Dim, Function, InterfaceBlock,
    LayoutEntry, List, Member, Name, Param, ParamId, Precision, Qualifier, QualifierId,
    QualifierKind, Struct, StructId, TypeKind, TypeSpec, TypeSpecId,
};
use crate::intern::{Symbol, words};
use crate::source::Span;
use crate::token::TokenKind;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// Qualifiers that are one word.
fn simple_qualifier(word: Symbol) -> Option<QualifierKind> {
    Some(match word {
        words::CONST => QualifierKind::Const,
        words::IN => QualifierKind::In,
        words::OUT => QualifierKind::Out,
        words::INOUT => QualifierKind::Inout,
        words::ATTRIBUTE => QualifierKind::Attribute,
        words::VARYING => QualifierKind::Varying,
        words::UNIFORM => QualifierKind::Uniform,
        words::BUFFER => QualifierKind::Buffer,
        words::SHARED => QualifierKind::Shared,
        words::CENTROID => QualifierKind::Centroid,
        words::SAMPLE => QualifierKind::Sample,
        words::PATCH => QualifierKind::Patch,
        words::SMOOTH => QualifierKind::Smooth,
        words::FLAT => QualifierKind::Flat,
        words::NOPERSPECTIVE => QualifierKind::Noperspective,
        words::EXPLICIT_INTERP => QualifierKind::ExplicitInterp,
        words::COHERENT => QualifierKind::Coherent,
        words::VOLATILE => QualifierKind::Volatile,
        words::RESTRICT => QualifierKind::Restrict,
        words::READONLY => QualifierKind::Readonly,
        words::WRITEONLY => QualifierKind::Writeonly,
        words::INVARIANT => QualifierKind::Invariant,
        words::PRECISE => QualifierKind::Precise,
        words::PIXEL_LOCAL => QualifierKind::PixelLocal { input: true, output: true },
        words::PIXEL_LOCAL_IN => QualifierKind::PixelLocal { input: true, output: false },
        words::PIXEL_LOCAL_OUT => QualifierKind::PixelLocal { input: false, output: true },
        _ => return precision(word).map(QualifierKind::Precision),
    })
}

fn precision(word: Symbol) -> Option<Precision> {
    match word {
        words::HIGHP => Some(Precision::High),
        words::MEDIUMP => Some(Precision::Medium),
        words::LOWP => Some(Precision::Low),
        _ => None,
    }
}

impl Parser<'_> {
    /// A declaration; function bodies and interface blocks only where it is `global`.
    pub(super) fn declaration(&mut self, global: bool) -> Parsed<DeclId> {
        let start = self.peek().pos;
        if global && self.accept(TokenKind::Semicolon) {
            return Ok(self.push_decl(DeclKind::Empty, start));
        }
        if self.at_keyword(words::PRECISION) {
            return self.precision_statement(start);
        }
        let qualifiers = self.qualifiers()?;
        if !qualifiers.is_empty() {
            if self.accept(TokenKind::Semicolon) {
                return Ok(self.push_decl(DeclKind::Qualifiers(qualifiers, List::default()), start));
            }
            let word = self.peek();
            let plain = word.kind == TokenKind::Ident && self.buffers.keywords.is_free(word.symbol);
            match self.peek_at(1).kind {
                TokenKind::LeftBrace if plain && global => {
                    let block = self.block(qualifiers)?;
                    return Ok(self.push_decl(DeclKind::Block(block), start));
                }
                TokenKind::Comma | TokenKind::Semicolon if plain => {
                    let names = self.names()?;
                    self.expect(TokenKind::Semicolon)?;
                    return Ok(self.push_decl(DeclKind::Qualifiers(qualifiers, names), start));
                }
                _ => {}
            }
        }
        let ty = self.type_spec()?;
        if self.accept(TokenKind::Semicolon) {
            let declarators = List::default();
            return Ok(self.push_decl(DeclKind::Variables { qualifiers, ty, declarators }, start));
        }
        // The first name of a list may be missing.
        self.accept(TokenKind::Comma);
        let name = self.name("a name to declare")?;
        if self.kind() == TokenKind::LeftParen {
            return self.function(qualifiers, ty, name, global, start);
        }
        let declarators = self.declarators(name, true)?;
        self.expect(TokenKind::Semicolon)?;
        Ok(self.push_decl(DeclKind::Variables { qualifiers, ty, declarators }, start))
    }

    fn push_decl(&mut self, kind: DeclKind, start: u32) -> DeclId {
        let span = self.since(start);
        self.unit.decls.push(Decl { kind, span })
    }

    /// `qualifiers type name = value` as the condition of a loop.
    pub(super) fn condition_declaration(&mut self) -> Parsed<DeclId> {
        let start = self.peek().pos;
        let qualifiers = self.qualifiers()?;
        let ty = self.type_spec()?;
        let name = self.name("a name to declare")?;
        self.expect(TokenKind::Equal)?;
        let init = self.initializer()?;
        let declarator = self.unit.declarators.push(Declarator {
            name,
            dims: List::default(),
            init: init.into(),
        });
        let declarators = self.unit.make_list(&[declarator]);
        Ok(self.push_decl(DeclKind::Variables { qualifiers, ty, declarators }, start))
    }

    /// Returns whether a declaration begins here and not an expression: a qualifier, a structure,
    /// `name name`, or `name [..] name`.
    pub(super) fn at_declaration(&self) -> bool {
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return false;
        }
        if self.buffers.keywords.is_keyword(token.symbol) {
            return matches!(
                token.symbol,
                words::STRUCT | words::PRECISION | words::LAYOUT | words::SUBROUTINE
            ) || simple_qualifier(token.symbol).is_some();
        }
        match self.peek_at(1).kind {
            TokenKind::Ident => true,
            TokenKind::LeftBracket => self.name_after_brackets(1),
            // A declaration may declare nothing.
            TokenKind::Comma | TokenKind::Semicolon => self.buffers.keywords.is_type(token.symbol),
            _ => false,
        }
    }

    /// Returns whether a name follows the brackets that begin at `ahead`.
    fn name_after_brackets(&self, ahead: usize) -> bool {
        let rest = self.tokens.get(self.next + ahead..).unwrap_or_default();
        let mut depth = 0u32;
        for (i, token) in rest.iter().enumerate() {
            match token.kind {
                TokenKind::LeftBracket => depth += 1,
                TokenKind::RightBracket => {
                    depth -= 1;
                    let next = rest.get(i + 1).map(|t| t.kind);
                    if depth == 0 && next != Some(TokenKind::LeftBracket) {
                        return next == Some(TokenKind::Ident);
                    }
                }
                TokenKind::Semicolon
                | TokenKind::LeftBrace
                | TokenKind::RightBrace
                | TokenKind::End => {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    // ---- - ----
    // qualifiers

    /// Any number of qualifiers.
    fn qualifiers(&mut self) -> Parsed<List<QualifierId>> {
        let mark = self.buffers.qualifiers.len();
        loop {
            let token = self.peek();
            if token.kind != TokenKind::Ident || !self.buffers.keywords.is_keyword(token.symbol) {
                break;
            }
            let kind = match token.symbol {
                words::LAYOUT => self.layout()?,
                words::SUBROUTINE => self.subroutine()?,
                word => match simple_qualifier(word) {
                    Some(kind) => {
                        self.bump();
                        kind
                    }
                    None => break,
                },
            };
            let span = self.since(token.pos);
            let id = self.unit.qualifiers.push(Qualifier { kind, span });
            self.buffers.qualifiers.push(id);
        }
        let items = self.buffers.qualifiers.get(mark..).unwrap_or_default();
        let list = self.unit.make_list(items);
        self.buffers.qualifiers.truncate(mark);
        Ok(list)
    }

    /// `layout(name, name = value)`. Any word may be a layout name, keywords like `shared` too.
    fn layout(&mut self) -> Parsed<QualifierKind> {
        self.bump();
        self.expect(TokenKind::LeftParen)?;
        let mut entries: SmallVec<[_; 4]> = SmallVec::new();
        loop {
            if self.kind() != TokenKind::Ident {
                return Err(self.unexpected("a layout qualifier"));
            }
            let token = self.bump();
            let name = Name { symbol: token.symbol, span: self.span(token) };
            let mut value = PackedOption::default();
            if self.accept(TokenKind::Equal) {
                value = self.conditional()?.into();
            }
            entries.push(self.unit.layouts.push(LayoutEntry { name, value }));
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightParen)?;
        Ok(QualifierKind::Layout(self.unit.make_list(&entries)))
    }

    /// `subroutine` or `subroutine(type, …)`.
    fn subroutine(&mut self) -> Parsed<QualifierKind> {
        self.bump();
        if !self.accept(TokenKind::LeftParen) {
            return Ok(QualifierKind::Subroutine(List::default()));
        }
        let names = self.names()?;
        self.expect(TokenKind::RightParen)?;
        Ok(QualifierKind::Subroutine(names))
    }

    /// `a, b, c`
    fn names(&mut self) -> Parsed<List<Name>> {
        let mut names: SmallVec<[Name; 4]> = SmallVec::new();
        loop {
            names.push(self.name("a name")?);
            if !self.accept(TokenKind::Comma) {
                return Ok(self.unit.make_list(&names));
            }
        }
    }

    fn precision_statement(&mut self, start: u32) -> Parsed<DeclId> {
        self.bump();
        let word = self.peek();
        let Some(precision) = precision(word.symbol).filter(|_| word.kind == TokenKind::Ident)
        else {
            return Err(self.unexpected("highp, mediump or lowp"));
        };
        self.bump();
        let ty = self.type_spec()?;
        self.expect(TokenKind::Semicolon)?;
        Ok(self.push_decl(DeclKind::Precision(precision, ty), start))
    }

    // ---- - ----
    // types

    /// A type with the dimensions right after it.
    fn type_spec(&mut self) -> Parsed<TypeSpecId> {
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return Err(self.unexpected("a type"));
        }
        let kind = if self.at_keyword(words::STRUCT) {
            TypeKind::Struct(self.nested(Self::structure)?)
        } else if self.at_unsigned_int() {
            self.bump();
            self.bump();
            TypeKind::Name(words::UINT)
        } else if self.buffers.keywords.is_usable(token.symbol) {
            self.bump();
            TypeKind::Name(token.symbol)
        } else {
            return Err(self.not_a_name(token, "a type"));
        };
        let dims = self.dims()?;
        let span = self.since(token.pos);
        Ok(self.unit.types.push(TypeSpec { kind, dims, span }))
    }

    /// Returns whether `unsigned int` is next, the spelling of `uint` in GL_EXT_gpu_shader4.
    pub(super) fn at_unsigned_int(&self) -> bool {
        self.buffers.keywords.unsigned_int
            && self.peek().symbol == words::UNSIGNED
            && self.peek_at(1).symbol == words::INT
    }

    /// `[a][]…`, often nothing.
    fn dims(&mut self) -> Parsed<List<Dim>> {
        if self.kind() != TokenKind::LeftBracket {
            return Ok(List::default());
        }
        let mut dims: SmallVec<[Dim; 4]> = SmallVec::new();
        while self.accept(TokenKind::LeftBracket) {
            if self.accept(TokenKind::RightBracket) {
                dims.push(Dim::default());
                continue;
            }
            let size = self.conditional()?;
            self.expect(TokenKind::RightBracket)?;
            dims.push(Dim::from(size));
        }
        Ok(self.unit.make_list(&dims))
    }

    fn structure(&mut self) -> Parsed<StructId> {
        let start = self.bump().pos;
        let name = if self.kind() == TokenKind::LeftBrace {
            None
        } else {
            Some(self.name("the name of a structure")?)
        };
        let members = self.members()?;
        let span = self.since(start);
        Ok(self.unit.structs.push(Struct { name, members, span }))
    }

    /// `{ members }` of a structure or a block.
    fn members(&mut self) -> Parsed<List<crate::ast::MemberId>> {
        self.expect(TokenKind::LeftBrace)?;
        let mut members: SmallVec<[_; 8]> = SmallVec::new();
        loop {
            let start = self.peek().pos;
            let qualifiers = self.qualifiers()?;
            let ty = self.type_spec()?;
            let name = self.name("the name of a member")?;
            let declarators = self.declarators(name, false)?;
            self.expect(TokenKind::Semicolon)?;
            let span = self.since(start);
            members.push(self.unit.members.push(Member { qualifiers, ty, declarators, span }));
            if self.accept(TokenKind::RightBrace) {
                return Ok(self.unit.make_list(&members));
            }
        }
    }

    fn block(&mut self, qualifiers: List<QualifierId>) -> Parsed<BlockId> {
        let name = self.name("the name of a block")?;
        let members = self.members()?;
        let mut instance = None;
        let mut dims = List::default();
        if self.kind() != TokenKind::Semicolon {
            instance = Some(self.name("`;` or the instance name of a block")?);
            dims = self.dims()?;
        }
        self.expect(TokenKind::Semicolon)?;
        Ok(self.unit.blocks.push(InterfaceBlock { qualifiers, name, members, instance, dims }))
    }

    // ---- - ----
    // declarators

    /// The rest of `name[dims] = value, name…`.
    fn declarators(&mut self, first: Name, initializers: bool) -> Parsed<List<DeclaratorId>> {
        let mut list: SmallVec<[DeclaratorId; 4]> = SmallVec::new();
        let mut name = first;
        loop {
            let dims = self.dims()?;
            let mut init = PackedOption::default();
            if initializers && self.accept(TokenKind::Equal) {
                init = self.initializer()?.into();
            }
            list.push(self.unit.declarators.push(Declarator { name, dims, init }));
            if !self.accept(TokenKind::Comma) {
                return Ok(self.unit.make_list(&list));
            }
            name = self.name("a name to declare")?;
        }
    }

    fn function(
        &mut self,
        qualifiers: List<QualifierId>,
        return_type: TypeSpecId,
        name: Name,
        global: bool,
        start: u32,
    ) -> Parsed<DeclId> {
        self.expect(TokenKind::LeftParen)?;
        let params = self.params()?;
        self.expect(TokenKind::RightParen)?;
        let header: Span = self.since(start);
        let body = if global && self.kind() == TokenKind::LeftBrace {
            self.compound()?.into()
        } else {
            self.expect(TokenKind::Semicolon)?;
            PackedOption::default()
        };
        let function = Function { qualifiers, return_type, name, params, body, header };
        let id = self.unit.functions.push(function);
        Ok(self.push_decl(DeclKind::Function(id), start))
    }

    fn params(&mut self) -> Parsed<List<ParamId>> {
        let void = self.kind() == TokenKind::Ident && self.peek().symbol == words::VOID;
        if void && self.peek_at(1).kind == TokenKind::RightParen {
            self.bump();
        }
        if self.kind() == TokenKind::RightParen {
            return Ok(List::default());
        }
        let mut params: SmallVec<[ParamId; 8]> = SmallVec::new();
        loop {
            let start = self.peek().pos;
            let qualifiers = self.qualifiers()?;
            let ty = self.type_spec()?;
            let mut name = None;
            let mut dims = List::default();
            if self.kind() == TokenKind::Ident {
                name = Some(self.name("the name of a parameter")?);
                dims = self.dims()?;
            }
            let span = self.since(start);
            params.push(self.unit.params.push(Param { qualifiers, ty, name, dims, span }));
            if !self.accept(TokenKind::Comma) {
                return Ok(self.unit.make_list(&params));
            }
        }
    }
}
