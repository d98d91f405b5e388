//! Statements (GLSL 4.60 section 6).

use super::{Parsed, Parser};
use crate::ast::{Condition, ExprId, MAX_DEPTH, Stmt, StmtId, StmtKind};
use crate::intern::words;
use crate::token::TokenKind;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

impl Parser<'_> {
    fn push_stmt(&mut self, kind: StmtKind, start: u32) -> StmtId {
        let span = self.since(start);
        self.unit.stmts.push(Stmt { kind, span })
    }

    /// `{ statements }`
    pub(super) fn compound(&mut self) -> Parsed<StmtId> {
        let start = self.expect(TokenKind::LeftBrace)?.pos;
        let mark = self.buffers.stmts.len();
        while self.kind() != TokenKind::RightBrace {
            let stmt = self.statement()?;
            self.buffers.stmts.push(stmt);
        }
        self.bump();
        let list = self.unit.make_list(self.buffers.stmts.get(mark..).unwrap_or_default());
        self.buffers.stmts.truncate(mark);
        Ok(self.push_stmt(StmtKind::Compound(list), start))
    }

    /// Any statement.
    fn statement(&mut self) -> Parsed<StmtId> {
        if self.depth + 1 >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let stmt = self.nested(Self::statement_here)?;
        self.depth -= 1;
        Ok(stmt)
    }

    fn statement_here(&mut self) -> Parsed<StmtId> {
        let token = self.peek();
        let start = token.pos;
        match token.kind {
            TokenKind::LeftBrace => return self.compound(),
            TokenKind::Semicolon => {
                self.bump();
                return Ok(self.push_stmt(StmtKind::Empty, start));
            }
            TokenKind::Ident if self.buffers.keywords.is_keyword(token.symbol) => {
                match token.symbol {
                    words::IF => return self.if_statement(),
                    words::SWITCH => return self.switch(),
                    words::WHILE => return self.while_loop(),
                    words::DO => return self.do_loop(),
                    words::FOR => return self.for_loop(),
                    words::RETURN => {
                        self.bump();
                        let mut value = PackedOption::default();
                        if self.kind() != TokenKind::Semicolon {
                            value = self.expression()?.into();
                        }
                        return self.jump(StmtKind::Return(value), start);
                    }
                    words::BREAK => return self.word_jump(StmtKind::Break, start),
                    words::CONTINUE => return self.word_jump(StmtKind::Continue, start),
                    words::DISCARD => return self.word_jump(StmtKind::Discard, start),
                    words::DEMOTE => return self.word_jump(StmtKind::Demote, start),
                    words::CASE | words::DEFAULT => {
                        return Err(self
                            .error(self.span(token), "this label is not in the body of a switch"));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        self.simple_statement()
    }

    /// A declaration or an expression.
    fn simple_statement(&mut self) -> Parsed<StmtId> {
        let start = self.peek().pos;
        if self.at_declaration() {
            let decl = self.declaration(false)?;
            return Ok(self.push_stmt(StmtKind::Decl(decl), start));
        }
        let expr = self.expression()?;
        self.jump(StmtKind::Expr(expr), start)
    }

    /// The semicolon that ends a statement.
    fn jump(&mut self, kind: StmtKind, start: u32) -> Parsed<StmtId> {
        self.expect(TokenKind::Semicolon)?;
        Ok(self.push_stmt(kind, start))
    }

    fn word_jump(&mut self, kind: StmtKind, start: u32) -> Parsed<StmtId> {
        self.bump();
        self.jump(kind, start)
    }

    fn parenthesised(&mut self) -> Parsed<ExprId> {
        self.expect(TokenKind::LeftParen)?;
        let expr = self.expression()?;
        self.expect(TokenKind::RightParen)?;
        Ok(expr)
    }

    /// A chain of `else if` is read in a loop, since it may be long; it counts for the height of
    /// the tree.
    fn if_statement(&mut self) -> Parsed<StmtId> {
        let depth = self.depth;
        let mut arms: SmallVec<[(u32, ExprId, StmtId); 2]> = SmallVec::new();
        let mut otherwise = PackedOption::default();
        loop {
            let start = self.bump().pos;
            let condition = self.parenthesised()?;
            let then = self.statement()?;
            arms.push((start, condition, then));
            if !self.at_keyword(words::ELSE) {
                break;
            }
            self.bump();
            if !self.at_keyword(words::IF) {
                otherwise = self.statement()?.into();
                break;
            }
            self.depth += 1;
            if self.depth >= MAX_DEPTH {
                return Err(self.too_deep());
            }
        }
        self.depth = depth;
        while let Some((start, condition, then)) = arms.pop() {
            let stmt = self.push_stmt(StmtKind::If { condition, then, otherwise }, start);
            if arms.is_empty() {
                return Ok(stmt);
            }
            otherwise = stmt.into();
        }
        Err(self.unexpected("`if`"))
    }

    fn switch(&mut self) -> Parsed<StmtId> {
        let start = self.bump().pos;
        let selector = self.parenthesised()?;
        self.expect(TokenKind::LeftBrace)?;
        let mark = self.buffers.stmts.len();
        while !self.accept(TokenKind::RightBrace) {
            let stmt = match self.label()? {
                Some(label) => label,
                None => self.statement()?,
            };
            self.buffers.stmts.push(stmt);
        }
        let body = self.unit.make_list(self.buffers.stmts.get(mark..).unwrap_or_default());
        self.buffers.stmts.truncate(mark);
        Ok(self.push_stmt(StmtKind::Switch { selector, body }, start))
    }

    /// `case value:` or `default:`, if one is next.
    fn label(&mut self) -> Parsed<Option<StmtId>> {
        let start = self.peek().pos;
        let kind = if self.at_keyword(words::CASE) {
            self.bump();
            StmtKind::Case(self.expression()?)
        } else if self.at_keyword(words::DEFAULT) {
            self.bump();
            StmtKind::Default
        } else {
            return Ok(None);
        };
        self.expect(TokenKind::Colon)?;
        Ok(Some(self.push_stmt(kind, start)))
    }

    fn condition(&mut self) -> Parsed<Condition> {
        if self.at_declaration() {
            Ok(Condition::Decl(self.condition_declaration()?))
        } else {
            Ok(Condition::Expr(self.expression()?))
        }
    }

    fn while_loop(&mut self) -> Parsed<StmtId> {
        let start = self.bump().pos;
        self.expect(TokenKind::LeftParen)?;
        let condition = self.condition()?;
        self.expect(TokenKind::RightParen)?;
        let body = self.statement()?;
        Ok(self.push_stmt(StmtKind::While { condition, body }, start))
    }

    fn do_loop(&mut self) -> Parsed<StmtId> {
        let start = self.bump().pos;
        let body = self.statement()?;
        if !self.at_keyword(words::WHILE) {
            return Err(self.unexpected("`while`"));
        }
        self.bump();
        let condition = self.parenthesised()?;
        self.jump(StmtKind::DoWhile { body, condition }, start)
    }

    fn for_loop(&mut self) -> Parsed<StmtId> {
        let start = self.bump().pos;
        self.expect(TokenKind::LeftParen)?;
        let init_start = self.peek().pos;
        let init = if self.accept(TokenKind::Semicolon) {
            self.push_stmt(StmtKind::Empty, init_start)
        } else {
            self.simple_statement()?
        };
        let condition =
            if self.kind() == TokenKind::Semicolon { None } else { Some(self.condition()?) };
        self.expect(TokenKind::Semicolon)?;
        let mut step = PackedOption::default();
        if self.kind() != TokenKind::RightParen {
            step = self.expression()?.into();
        }
        self.expect(TokenKind::RightParen)?;
        let body = self.statement()?;
        Ok(self.push_stmt(StmtKind::For { init, condition, step, body }, start))
    }
}
