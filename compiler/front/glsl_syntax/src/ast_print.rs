//! The syntax tree as text: a line per declaration and statement, expressions in prefix form.

use crate::ast::*;
use crate::intern::Symbol;
use std::fmt::Write;

/// Prints a whole unit.
pub fn print(unit: &TranslationUnit) -> String {
    let mut printer = Printer { unit, out: String::new(), indent: 0 };
    for &decl in unit.list(unit.globals) {
        printer.decl(decl);
    }
    printer.out
}

struct Printer<'a> {
    unit: &'a TranslationUnit,
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 2);
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.unit.interner.text(symbol)
    }

    // ---- - ----
    // declarations

    fn decl(&mut self, id: DeclId) {
        match self.unit.decls[id].kind {
            DeclKind::Empty => self.line("empty"),
            DeclKind::Variables { qualifiers, ty, declarators } => {
                let text = self.variables("var", qualifiers, ty, declarators);
                self.line(&text);
                self.structure_of(ty);
            }
            DeclKind::Function(function) => self.function(function),
            DeclKind::Block(block) => {
                let block = self.unit.blocks[block];
                let mut text = format!(
                    "block {}{}",
                    self.qualifiers(block.qualifiers),
                    self.name(block.name.symbol)
                );
                if let Some(instance) = block.instance {
                    let _ =
                        write!(text, " as {}{}", self.name(instance.symbol), self.dims(block.dims));
                }
                self.line(&text);
                self.members(block.members);
            }
            DeclKind::Precision(precision, ty) => {
                let text = format!("precision {} {}", precision_word(precision), self.ty(ty));
                self.line(&text);
            }
            DeclKind::Qualifiers(qualifiers, names) => {
                let text = format!("qualify {}{}", self.qualifiers(qualifiers), self.names(names));
                self.line(text.trim_end());
            }
        }
    }

    fn variables(
        &self,
        what: &str,
        qualifiers: List<QualifierId>,
        ty: TypeSpecId,
        declarators: List<DeclaratorId>,
    ) -> String {
        let mut text = format!("{what} {}{}", self.qualifiers(qualifiers), self.ty(ty));
        for (i, &id) in self.unit.list(declarators).iter().enumerate() {
            let declarator = self.unit.declarators[id];
            let comma = if i == 0 { " " } else { ", " };
            let _ = write!(
                text,
                "{comma}{}{}",
                self.name(declarator.name.symbol),
                self.dims(declarator.dims)
            );
            if let Some(init) = declarator.init.expand() {
                let _ = write!(text, " = {}", self.expr(init));
            }
        }
        text
    }

    fn structure_of(&mut self, ty: TypeSpecId) {
        if let TypeKind::Struct(id) = self.unit.types[ty].kind {
            self.members(self.unit.structs[id].members);
        }
    }

    fn members(&mut self, members: List<MemberId>) {
        self.indent += 1;
        for &id in self.unit.list(members) {
            let member = self.unit.members[id];
            let text = self.variables("member", member.qualifiers, member.ty, member.declarators);
            self.line(&text);
            self.structure_of(member.ty);
        }
        self.indent -= 1;
    }

    fn function(&mut self, id: FunctionId) {
        let function = self.unit.functions[id];
        let params: Vec<String> =
            self.unit.list(function.params).iter().map(|&p| self.param(p)).collect();
        let text = format!(
            "function {}{} {}({})",
            self.qualifiers(function.qualifiers),
            self.ty(function.return_type),
            self.name(function.name.symbol),
            params.join(", "),
        );
        self.line(&text);
        if let Some(body) = function.body.expand() {
            self.body(body);
        }
    }

    fn param(&self, id: ParamId) -> String {
        let param = self.unit.params[id];
        let mut text = format!("{}{}", self.qualifiers(param.qualifiers), self.ty(param.ty));
        if let Some(name) = param.name {
            let _ = write!(text, " {}{}", self.name(name.symbol), self.dims(param.dims));
        }
        text
    }

    fn ty(&self, id: TypeSpecId) -> String {
        let ty = self.unit.types[id];
        let base = match ty.kind {
            TypeKind::Name(symbol) => self.name(symbol).to_owned(),
            TypeKind::Struct(id) => match self.unit.structs[id].name {
                Some(name) => format!("struct {}", self.name(name.symbol)),
                None => "struct".to_owned(),
            },
        };
        base + &self.dims(ty.dims)
    }

    fn dims(&self, dims: List<Dim>) -> String {
        let one = |dim: &Dim| match dim.expand() {
            Some(size) => format!("[{}]", self.expr(size)),
            None => "[]".to_owned(),
        };
        self.unit.list(dims).iter().map(one).collect()
    }

    fn names(&self, names: List<Name>) -> String {
        let names: Vec<&str> = self.unit.list(names).iter().map(|n| self.name(n.symbol)).collect();
        names.join(", ")
    }

    /// Every qualifier, followed by a space.
    fn qualifiers(&self, list: List<QualifierId>) -> String {
        let mut text = String::new();
        for &id in self.unit.list(list) {
            text.push_str(&self.qualifier(self.unit.qualifiers[id].kind));
            text.push(' ');
        }
        text
    }

    fn qualifier(&self, kind: QualifierKind) -> String {
        match kind {
            QualifierKind::Precision(precision) => precision_word(precision).to_owned(),
            QualifierKind::Subroutine(types) if types.is_empty() => "subroutine".to_owned(),
            QualifierKind::Subroutine(types) => format!("subroutine({})", self.names(types)),
            QualifierKind::Layout(entries) => {
                let entry = |&id: &LayoutEntryId| {
                    let entry = self.unit.layouts[id];
                    let name = self.name(entry.name.symbol);
                    entry
                        .value
                        .expand()
                        .map_or(name.to_owned(), |value| format!("{name} = {}", self.expr(value)))
                };
                let entries: Vec<String> = self.unit.list(entries).iter().map(entry).collect();
                format!("layout({})", entries.join(", "))
            }
            QualifierKind::PixelLocal { input, output } => {
                format!("pixel_local({input}, {output})")
            }
            simple => format!("{simple:?}").to_lowercase(),
        }
    }

    // ---- - ----
    // statements

    /// A statement one level further in.
    fn body(&mut self, id: StmtId) {
        self.indent += 1;
        match self.unit.stmts[id].kind {
            StmtKind::Compound(list) => self.stmts(list),
            _ => self.stmt(id),
        }
        self.indent -= 1;
    }

    fn stmts(&mut self, list: List<StmtId>) {
        for &id in self.unit.list(list) {
            self.stmt(id);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        match self.unit.stmts[id].kind {
            StmtKind::Empty => self.line("empty"),
            StmtKind::Expr(expr) => self.line(&self.expr(expr)),
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Compound(_) => {
                self.line("compound");
                self.body(id);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.line(&format!("if {}", self.expr(condition)));
                self.body(then);
                if let Some(otherwise) = otherwise.expand() {
                    self.line("else");
                    self.body(otherwise);
                }
            }
            StmtKind::Switch { selector, body } => {
                self.line(&format!("switch {}", self.expr(selector)));
                self.indent += 1;
                self.stmts(body);
                self.indent -= 1;
            }
            StmtKind::Case(value) => self.line(&format!("case {}", self.expr(value))),
            StmtKind::Default => self.line("default"),
            StmtKind::While { condition, body } => {
                self.line(&format!("while {}", self.condition(condition)));
                self.body(body);
            }
            StmtKind::DoWhile { body, condition } => {
                self.line("do");
                self.body(body);
                self.line(&format!("while {}", self.expr(condition)));
            }
            StmtKind::For { init, condition, step, body } => {
                self.line("for");
                self.body(init);
                let condition = condition.map_or("true".to_owned(), |c| self.condition(c));
                self.line(&format!("while {condition}"));
                if let Some(step) = step.expand() {
                    self.line(&format!("step {}", self.expr(step)));
                }
                self.body(body);
            }
            StmtKind::Return(value) => match value.expand() {
                Some(value) => self.line(&format!("return {}", self.expr(value))),
                None => self.line("return"),
            },
            StmtKind::Break => self.line("break"),
            StmtKind::Continue => self.line("continue"),
            StmtKind::Discard => self.line("discard"),
            StmtKind::Demote => self.line("demote"),
        }
    }

    fn condition(&self, condition: Condition) -> String {
        match condition {
            Condition::Expr(expr) => self.expr(expr),
            Condition::Decl(decl) => match self.unit.decls[decl].kind {
                DeclKind::Variables { qualifiers, ty, declarators } => {
                    self.variables("var", qualifiers, ty, declarators)
                }
                _ => String::new(),
            },
        }
    }

    // ---- - ----
    // expressions

    fn expr(&self, id: ExprId) -> String {
        match self.unit.exprs[id].kind {
            ExprKind::Name(symbol) => self.name(symbol).to_owned(),
            ExprKind::Int(value, ty) => format!("{value}{}", int_suffix(ty)),
            ExprKind::Float(value, ty) => format!("{value:?}{}", float_suffix(ty)),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Unary(op, a) => format!("({} {})", unary_sign(op), self.expr(a)),
            ExprKind::Binary(..) | ExprKind::Comma(..) => self.chain(id),
            ExprKind::Assign(op, a, b) => {
                format!("({}= {} {})", op.map_or("", binary_sign), self.expr(a), self.expr(b))
            }
            ExprKind::Ternary(c, a, b) => {
                format!("(? {} {} {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Index(base, index) => format!("{}[{}]", self.expr(base), self.expr(index)),
            ExprKind::Field(base, name) => {
                format!("{}.{}", self.expr(base), self.name(name.symbol))
            }
            ExprKind::Method(base, name, args) => {
                format!("{}.{}({})", self.expr(base), self.name(name.symbol), self.exprs(args))
            }
            ExprKind::Call(callee, args) => {
                format!(
                    "{}{}({})",
                    self.name(callee.name.symbol),
                    self.dims(callee.dims),
                    self.exprs(args)
                )
            }
            ExprKind::InitList(items) => format!("{{{}}}", self.exprs(items)),
        }
    }

    /// Binary operators and commas down the left side.
    fn chain(&self, id: ExprId) -> String {
        let mut first = id;
        let (mut heads, mut rest) = (String::new(), Vec::new());
        loop {
            let (sign, left, right) = match self.unit.exprs[first].kind {
                ExprKind::Binary(op, a, b) => (binary_sign(op), a, b),
                ExprKind::Comma(a, b) => (",", a, b),
                _ => break,
            };
            heads.push_str(&format!("({sign} "));
            rest.push(right);
            first = left;
        }
        let mut text = heads + &self.expr(first);
        for right in rest.into_iter().rev() {
            text.push_str(&format!(" {})", self.expr(right)));
        }
        text
    }

    fn exprs(&self, list: List<ExprId>) -> String {
        let items: Vec<String> = self.unit.list(list).iter().map(|&e| self.expr(e)).collect();
        items.join(", ")
    }
}

fn precision_word(precision: Precision) -> &'static str {
    match precision {
        Precision::High => "highp",
        Precision::Medium => "mediump",
        Precision::Low => "lowp",
    }
}

fn int_suffix(ty: IntType) -> &'static str {
    match ty {
        IntType::Int => "",
        IntType::Uint => "u",
        IntType::Int16 => "s",
        IntType::Uint16 => "us",
        IntType::Int64 => "l",
        IntType::Uint64 => "ul",
    }
}

fn float_suffix(ty: FloatType) -> &'static str {
    match ty {
        FloatType::Float => "",
        FloatType::Double => "lf",
        FloatType::Half => "hf",
    }
}

fn unary_sign(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Neg => "-",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
        UnaryOp::PreInc => "++_",
        UnaryOp::PreDec => "--_",
        UnaryOp::PostInc => "_++",
        UnaryOp::PostDec => "_--",
    }
}

fn binary_sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::And => "&&",
        BinaryOp::Xor => "^^",
        BinaryOp::Or => "||",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
    }
}
