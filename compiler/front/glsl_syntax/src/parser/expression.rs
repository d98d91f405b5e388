//! Expressions (GLSL 4.60 section 5.1).

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Callee, Dim, ExprId, ExprKind, List, Name, UnaryOp};
use crate::intern::words;
use crate::source::Span;
use crate::token::TokenKind;
use smallvec::SmallVec;

/// Binding strength and operator; 0 for other tokens.
#[inline]
fn binary_operator(kind: TokenKind) -> Option<(u8, BinaryOp)> {
    Some(match kind {
        TokenKind::BarBar => (1, BinaryOp::Or),
        TokenKind::CaretCaret => (2, BinaryOp::Xor),
        TokenKind::AmpAmp => (3, BinaryOp::And),
        TokenKind::Bar => (4, BinaryOp::BitOr),
        TokenKind::Caret => (5, BinaryOp::BitXor),
        TokenKind::Amp => (6, BinaryOp::BitAnd),
        TokenKind::EqualEqual => (7, BinaryOp::Eq),
        TokenKind::BangEqual => (7, BinaryOp::Ne),
        TokenKind::Less => (8, BinaryOp::Lt),
        TokenKind::Greater => (8, BinaryOp::Gt),
        TokenKind::LessEqual => (8, BinaryOp::Le),
        TokenKind::GreaterEqual => (8, BinaryOp::Ge),
        TokenKind::ShiftLeft => (9, BinaryOp::Shl),
        TokenKind::ShiftRight => (9, BinaryOp::Shr),
        TokenKind::Plus => (10, BinaryOp::Add),
        TokenKind::Minus => (10, BinaryOp::Sub),
        TokenKind::Star => (11, BinaryOp::Mul),
        TokenKind::Slash => (11, BinaryOp::Div),
        TokenKind::Percent => (11, BinaryOp::Mod),
        _ => return None,
    })
}

/// The operator before `=`; the outer option is `None` for tokens that do not assign.
#[inline]
fn assignment(kind: TokenKind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        TokenKind::Equal => None,
        TokenKind::PlusEqual => Some(BinaryOp::Add),
        TokenKind::MinusEqual => Some(BinaryOp::Sub),
        TokenKind::StarEqual => Some(BinaryOp::Mul),
        TokenKind::SlashEqual => Some(BinaryOp::Div),
        TokenKind::PercentEqual => Some(BinaryOp::Mod),
        TokenKind::ShiftLeftEqual => Some(BinaryOp::Shl),
        TokenKind::ShiftRightEqual => Some(BinaryOp::Shr),
        TokenKind::AmpEqual => Some(BinaryOp::BitAnd),
        TokenKind::CaretEqual => Some(BinaryOp::BitXor),
        TokenKind::BarEqual => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, the comma operator included.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let mut left = self.assignment_expression()?;
        while self.accept(TokenKind::Comma) {
            let right = self.assignment_expression()?;
            left = self.binary_node(ExprKind::Comma(left, right), left, right)?;
        }
        Ok(left)
    }

    /// An expression without the comma operator.
    pub(super) fn assignment_expression(&mut self) -> Parsed<ExprId> {
        let target = self.conditional()?;
        let Some(operator) = assignment(self.kind()) else { return Ok(target) };
        self.bump();
        let value = self.nested(Self::assignment_expression)?;
        self.binary_node(ExprKind::Assign(operator, target, value), target, value)
    }

    /// `?:` and all operators that bind tighter: also the form of constant expressions.
    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        let condition = self.binary(0)?;
        if !self.accept(TokenKind::Question) {
            return Ok(condition);
        }
        let then = self.nested(Self::expression)?;
        self.expect(TokenKind::Colon)?;
        let otherwise = self.nested(Self::assignment_expression)?;
        let below = self.height(condition).max(self.height(then)).max(self.height(otherwise));
        let span = self.expr_span(condition).to(self.expr_span(otherwise));
        self.push_expr(ExprKind::Ternary(condition, then, otherwise), span, below)
    }

    fn binary_node(&mut self, kind: ExprKind, left: ExprId, right: ExprId) -> Parsed<ExprId> {
        let span = self.expr_span(left).to(self.expr_span(right));
        let chain = matches!(
            (kind, self.unit.exprs[left].kind),
            (ExprKind::Binary(..), ExprKind::Binary(..))
                | (ExprKind::Comma(..), ExprKind::Comma(..))
        );
        let left_height = self.height(left) - u16::from(chain);
        self.push_expr(kind, span, left_height.max(self.height(right)))
    }

    /// Operators that bind tighter than `above`.
    fn binary(&mut self, above: u8) -> Parsed<ExprId> {
        let mut left = self.unary()?;
        while let Some((strength, operator)) = binary_operator(self.kind()) {
            if strength <= above {
                break;
            }
            self.bump();
            let right = self.nested(|this| this.binary(strength))?;
            left = self.binary_node(ExprKind::Binary(operator, left, right), left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let token = self.peek();
        let operator = match token.kind {
            TokenKind::Minus => UnaryOp::Neg,
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::BitNot,
            TokenKind::PlusPlus => UnaryOp::PreInc,
            TokenKind::MinusMinus => UnaryOp::PreDec,
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        let span = self.span(token).to(self.expr_span(operand));
        self.push_expr(ExprKind::Unary(operator, operand), span, self.height(operand))
    }

    fn postfix(&mut self) -> Parsed<ExprId> {
        let mut expr = self.primary()?;
        loop {
            let start = self.expr_span(expr).start;
            let below = self.height(expr);
            expr = match self.kind() {
                TokenKind::LeftBracket if self.peek_at(1).kind == TokenKind::RightBracket => {
                    self.array_constructor(expr)?
                }
                TokenKind::LeftBracket => {
                    self.bump();
                    let index = self.nested(Self::expression)?;
                    self.expect(TokenKind::RightBracket)?;
                    let below = below.max(self.height(index));
                    self.push_expr(ExprKind::Index(expr, index), self.since(start), below)?
                }
                TokenKind::LeftParen => {
                    let (name, dims) = self.callee_of(expr)?;
                    let dims = self.unit.make_list(&dims);
                    self.call(Callee { name, dims }, below)?
                }
                TokenKind::Dot => self.member(expr)?,
                TokenKind::PlusPlus => {
                    self.bump();
                    self.push_expr(
                        ExprKind::Unary(UnaryOp::PostInc, expr),
                        self.since(start),
                        below,
                    )?
                }
                TokenKind::MinusMinus => {
                    self.bump();
                    self.push_expr(
                        ExprKind::Unary(UnaryOp::PostDec, expr),
                        self.since(start),
                        below,
                    )?
                }
                _ => return Ok(expr),
            };
        }
    }

    /// `.name` or `.name(args)`.
    fn member(&mut self, base: ExprId) -> Parsed<ExprId> {
        self.bump();
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return Err(self.unexpected("the name of a member"));
        }
        self.bump();
        let name = Name { symbol: token.symbol, span: self.span(token) };
        let start = self.expr_span(base).start;
        if self.kind() != TokenKind::LeftParen {
            return self.push_expr(
                ExprKind::Field(base, name),
                self.since(start),
                self.height(base),
            );
        }
        let (args, height) = self.arguments()?;
        let below = height.max(self.height(base));
        self.push_expr(ExprKind::Method(base, name, args), self.since(start), below)
    }

    /// The name and the indices of `name[a][b]`, which is a callee.
    fn callee_of(&self, expr: ExprId) -> Parsed<(Name, SmallVec<[Dim; 4]>)> {
        let mut dims = SmallVec::new();
        let mut inner = expr;
        loop {
            let node = self.unit.exprs[inner];
            match node.kind {
                ExprKind::Index(base, index) => {
                    dims.push(Dim::from(index));
                    inner = base;
                }
                ExprKind::Name(symbol) => {
                    dims.reverse();
                    return Ok((Name { symbol, span: node.span }, dims));
                }
                _ => return Err(self.error(node.span, "this cannot be called")),
            }
        }
    }

    /// `name[]…(args)`, possibly with sized dimensions around, the cursor at the first `[]`.
    fn array_constructor(&mut self, expr: ExprId) -> Parsed<ExprId> {
        let (name, mut dims) = self.callee_of(expr)?;
        let mut below = self.height(expr);
        while self.accept(TokenKind::LeftBracket) {
            if self.accept(TokenKind::RightBracket) {
                dims.push(Dim::default());
                continue;
            }
            let size = self.nested(Self::expression)?;
            self.expect(TokenKind::RightBracket)?;
            below = below.max(self.height(size));
            dims.push(Dim::from(size));
        }
        if self.kind() != TokenKind::LeftParen {
            return Err(self.unexpected("`(` after an array type"));
        }
        let dims = self.unit.make_list(&dims);
        self.call(Callee { name, dims }, below)
    }

    fn call(&mut self, callee: Callee, below: u16) -> Parsed<ExprId> {
        let (args, height) = self.arguments()?;
        let span = self.since(callee.name.span.start);
        self.push_expr(ExprKind::Call(callee, args), span, below.max(height))
    }

    /// `(a, b)`, `()` or `(void)`, and the height of the highest argument.
    fn arguments(&mut self) -> Parsed<(List<ExprId>, u16)> {
        self.expect(TokenKind::LeftParen)?;
        let mark = self.buffers.exprs.len();
        let void = self.peek().symbol == words::VOID && self.kind() == TokenKind::Ident;
        if void && self.peek_at(1).kind == TokenKind::RightParen {
            self.bump();
        }
        if !self.accept(TokenKind::RightParen) {
            loop {
                let argument = self.nested(Self::assignment_expression)?;
                self.buffers.exprs.push(argument);
                if !self.accept(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RightParen)?;
        }
        Ok(self.take_exprs(mark))
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let token = self.peek();
        match token.kind {
            TokenKind::Ident if self.buffers.keywords.is_usable(token.symbol) => {
                self.bump();
                self.push_expr(ExprKind::Name(token.symbol), self.span(token), 0)
            }
            TokenKind::Ident if matches!(token.symbol, words::TRUE | words::FALSE) => {
                self.bump();
                self.push_expr(ExprKind::Bool(token.symbol == words::TRUE), self.span(token), 0)
            }
            TokenKind::Ident if self.at_unsigned_int() => {
                self.bump();
                self.bump();
                let span = self.since(token.pos);
                self.push_expr(ExprKind::Name(words::UINT), span, 0)
            }
            TokenKind::Ident => Err(self.not_a_name(token, "an expression")),
            TokenKind::Int => self.int_literal(),
            TokenKind::Float => self.float_literal(),
            TokenKind::LeftParen => {
                self.bump();
                let inner = self.nested(Self::expression)?;
                self.expect(TokenKind::RightParen)?;
                Ok(inner)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// The value after `=`: an expression or nested `{ }` lists.
    pub(super) fn initializer(&mut self) -> Parsed<ExprId> {
        if self.kind() != TokenKind::LeftBrace {
            return self.assignment_expression();
        }
        let open = self.bump();
        let mark = self.buffers.exprs.len();
        while self.kind() != TokenKind::RightBrace {
            let item = self.nested(Self::initializer)?;
            self.buffers.exprs.push(item);
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightBrace)?;
        let (items, below) = self.take_exprs(mark);
        let span: Span = self.since(open.pos);
        if items.is_empty() {
            return Err(self.error(span, "an initializer list cannot be empty"));
        }
        self.push_expr(ExprKind::InitList(items), span, below)
    }
}
