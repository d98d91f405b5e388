//! The table of macro definitions.

use crate::intern::{Symbol, words};
use crate::token::{Token, TokenKind};

/// Buffer position of the spelling of the literal 1, the value of many predefined macros.
pub(super) const TEXT_ONE: u32 = 0;

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// Parameter names; none for an object-like macro.
    pub(super) params: Option<Vec<Symbol>>,
    /// Replacement list; parameters are [`TokenKind::Param`].
    pub(super) body: Vec<Token>,
    /// True if the body has `##`.
    pub(super) pastes: bool,
    /// True while its own expansion is read.
    pub(super) active: bool,
    /// True if it cannot be undefined or redefined.
    pub(super) predefined: bool,
}

/// All macros ever defined, and the present macro of each name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Macros {
    all: Vec<Macro>,
    /// By symbol: index in `all` plus 1, 0 for none.
    current: Vec<u32>,
}

impl Macros {
    /// The macro of every predefined name with value 1.
    const ONE: u32 = 0;

    /// Removes all macros, then predefines `ones` as 1 (the extensions' names).
    pub(crate) fn reset(&mut self, ones: &[Symbol]) {
        self.current.clear();
        self.all.clear();
        let one = Token {
            kind: TokenKind::Int,
            flags: 0,
            len: 1,
            pos: TEXT_ONE,
            symbol: Symbol::EMPTY,
            text: TEXT_ONE,
        };
        self.all.push(Macro {
            params: None,
            body: vec![one],
            pastes: false,
            active: false,
            predefined: true,
        });
        let dynamic = Macro {
            params: None,
            body: Vec::new(),
            pastes: false,
            active: false,
            predefined: true,
        };
        for word in [words::MACRO_LINE, words::MACRO_FILE, words::MACRO_VERSION] {
            self.define(word, dynamic.clone());
        }
        for &symbol in ones {
            self.define_one(symbol);
        }
    }

    pub(super) fn define_one(&mut self, symbol: Symbol) {
        self.set(symbol, Self::ONE + 1);
    }

    pub(super) fn define(&mut self, symbol: Symbol, definition: Macro) {
        self.all.push(definition);
        self.set(symbol, self.all.len() as u32);
    }

    pub(super) fn undefine(&mut self, symbol: Symbol) {
        self.set(symbol, 0);
    }

    fn set(&mut self, symbol: Symbol, value: u32) {
        if symbol.index() >= self.current.len() {
            self.current.resize(symbol.index() + 1, 0);
        }
        self.current[symbol.index()] = value;
    }

    /// The index of a name's macro.
    #[inline]
    pub(super) fn lookup(&self, symbol: Symbol) -> Option<u32> {
        match self.current.get(symbol.index()) {
            Some(&n) if n > 0 => Some(n - 1),
            _ => None,
        }
    }

    pub(super) fn get(&self, index: u32) -> Option<&Macro> {
        self.all.get(index as usize)
    }

    pub(super) fn set_active(&mut self, index: u32, active: bool) {
        if let Some(entry) = self.all.get_mut(index as usize) {
            entry.active = active;
        }
    }
}
