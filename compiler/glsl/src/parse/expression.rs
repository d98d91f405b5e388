//! Expressions (GLSL 4.60 section 5.1).

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Callee, Dim, ExprId, ExprKind, List, Name, UnaryOp};
use crate::intern::words;
use crate::source::Span;
use crate::token::Kind;
use smallvec::SmallVec;

/// Binding strength and operator; 0 for other tokens.
#[inline]
fn binary_operator(kind: Kind) -> Option<(u8, BinaryOp)> {
    Some(match kind {
        Kind::BarBar => (1, BinaryOp::Or),
        Kind::CaretCaret => (2, BinaryOp::Xor),
        Kind::AmpAmp => (3, BinaryOp::And),
        Kind::Bar => (4, BinaryOp::BitOr),
        Kind::Caret => (5, BinaryOp::BitXor),
        Kind::Amp => (6, BinaryOp::BitAnd),
        Kind::EqualEqual => (7, BinaryOp::Eq),
        Kind::BangEqual => (7, BinaryOp::Ne),
        Kind::Less => (8, BinaryOp::Lt),
        Kind::Greater => (8, BinaryOp::Gt),
        Kind::LessEqual => (8, BinaryOp::Le),
        Kind::GreaterEqual => (8, BinaryOp::Ge),
        Kind::ShiftLeft => (9, BinaryOp::Shl),
        Kind::ShiftRight => (9, BinaryOp::Shr),
        Kind::Plus => (10, BinaryOp::Add),
        Kind::Minus => (10, BinaryOp::Sub),
        Kind::Star => (11, BinaryOp::Mul),
        Kind::Slash => (11, BinaryOp::Div),
        Kind::Percent => (11, BinaryOp::Mod),
        _ => return None,
    })
}

/// The operator before `=`; the outer option is `None` for tokens that do not assign.
#[inline]
fn assignment(kind: Kind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        Kind::Equal => None,
        Kind::PlusEqual => Some(BinaryOp::Add),
        Kind::MinusEqual => Some(BinaryOp::Sub),
        Kind::StarEqual => Some(BinaryOp::Mul),
        Kind::SlashEqual => Some(BinaryOp::Div),
        Kind::PercentEqual => Some(BinaryOp::Mod),
        Kind::ShiftLeftEqual => Some(BinaryOp::Shl),
        Kind::ShiftRightEqual => Some(BinaryOp::Shr),
        Kind::AmpEqual => Some(BinaryOp::BitAnd),
        Kind::CaretEqual => Some(BinaryOp::BitXor),
        Kind::BarEqual => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, the comma operator included.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let mut left = self.assignment_expression()?;
        while self.accept(Kind::Comma) {
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
        if !self.accept(Kind::Question) {
            return Ok(condition);
        }
        let then = self.nested(Self::expression)?;
        self.expect(Kind::Colon)?;
        let otherwise = self.nested(Self::assignment_expression)?;
        let below = self.height(condition).max(self.height(then)).max(self.height(otherwise));
        let span = self.expr_span(condition).to(self.expr_span(otherwise));
        self.push_expr(ExprKind::Ternary(condition, then, otherwise), span, below)
    }

    fn binary_node(&mut self, kind: ExprKind, left: ExprId, right: ExprId) -> Parsed<ExprId> {
        let span = self.expr_span(left).to(self.expr_span(right));
        let chain = matches!(
            (kind, self.unit.exprs[left].kind),
            (ExprKind::Binary(..), ExprKind::Binary(..)) | (ExprKind::Comma(..), ExprKind::Comma(..))
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
            Kind::Minus => UnaryOp::Neg,
            Kind::Plus => UnaryOp::Plus,
            Kind::Bang => UnaryOp::Not,
            Kind::Tilde => UnaryOp::BitNot,
            Kind::PlusPlus => UnaryOp::PreInc,
            Kind::MinusMinus => UnaryOp::PreDec,
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
                Kind::LeftBracket if self.peek_at(1).kind == Kind::RightBracket => {
                    self.array_constructor(expr)?
                }
                Kind::LeftBracket => {
                    self.bump();
                    let index = self.nested(Self::expression)?;
                    self.expect(Kind::RightBracket)?;
                    let below = below.max(self.height(index));
                    self.push_expr(ExprKind::Index(expr, index), self.since(start), below)?
                }
                Kind::LeftParen => {
                    let (name, dims) = self.callee_of(expr)?;
                    let dims = self.unit.make_list(&dims);
                    self.call(Callee { name, dims }, below)?
                }
                Kind::Dot => self.member(expr)?,
                Kind::PlusPlus => {
                    self.bump();
                    self.push_expr(ExprKind::Unary(UnaryOp::PostInc, expr), self.since(start), below)?
                }
                Kind::MinusMinus => {
                    self.bump();
                    self.push_expr(ExprKind::Unary(UnaryOp::PostDec, expr), self.since(start), below)?
                }
                _ => return Ok(expr),
            };
        }
    }

    /// `.name` or `.name(args)`.
    fn member(&mut self, base: ExprId) -> Parsed<ExprId> {
        self.bump();
        let token = self.peek();
        if token.kind != Kind::Ident {
            return Err(self.unexpected("the name of a member"));
        }
        self.bump();
        let name = Name { symbol: token.symbol, span: self.span(token) };
        let start = self.expr_span(base).start;
        if self.kind() != Kind::LeftParen {
            return self.push_expr(ExprKind::Field(base, name), self.since(start), self.height(base));
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
        while self.accept(Kind::LeftBracket) {
            if self.accept(Kind::RightBracket) {
                dims.push(Dim::default());
                continue;
            }
            let size = self.nested(Self::expression)?;
            self.expect(Kind::RightBracket)?;
            below = below.max(self.height(size));
            dims.push(Dim::from(size));
        }
        if self.kind() != Kind::LeftParen {
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
        self.expect(Kind::LeftParen)?;
        let mark = self.buffers.exprs.len();
        let void = self.peek().symbol == words::VOID && self.kind() == Kind::Ident;
        if void && self.peek_at(1).kind == Kind::RightParen {
            self.bump();
        }
        if !self.accept(Kind::RightParen) {
            loop {
                let argument = self.nested(Self::assignment_expression)?;
                self.buffers.exprs.push(argument);
                if !self.accept(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::RightParen)?;
        }
        Ok(self.take_exprs(mark))
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let token = self.peek();
        match token.kind {
            Kind::Ident if self.buffers.keywords.is_usable(token.symbol) => {
                self.bump();
                self.push_expr(ExprKind::Name(token.symbol), self.span(token), 0)
            }
            Kind::Ident if matches!(token.symbol, words::TRUE | words::FALSE) => {
                self.bump();
                self.push_expr(ExprKind::Bool(token.symbol == words::TRUE), self.span(token), 0)
            }
            Kind::Ident if self.at_unsigned_int() => {
                self.bump();
                self.bump();
                let span = self.since(token.pos);
                self.push_expr(ExprKind::Name(words::UINT), span, 0)
            }
            Kind::Ident => Err(self.not_a_name(token, "an expression")),
            Kind::Int => self.int_literal(),
            Kind::Float => self.float_literal(),
            Kind::LeftParen => {
                self.bump();
                let inner = self.nested(Self::expression)?;
                self.expect(Kind::RightParen)?;
                Ok(inner)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// The value after `=`: an expression or nested `{ }` lists.
    pub(super) fn initializer(&mut self) -> Parsed<ExprId> {
        if self.kind() != Kind::LeftBrace {
            return self.assignment_expression();
        }
        let open = self.bump();
        let mark = self.buffers.exprs.len();
        while self.kind() != Kind::RightBrace {
            let item = self.nested(Self::initializer)?;
            self.buffers.exprs.push(item);
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::RightBrace)?;
        let (items, below) = self.take_exprs(mark);
        let span: Span = self.since(open.pos);
        if items.is_empty() {
            return Err(self.error(span, "an initializer list cannot be empty"));
        }
        self.push_expr(ExprKind::InitList(items), span, below)
    }
}
