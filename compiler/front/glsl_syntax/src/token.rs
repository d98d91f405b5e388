//! Tokens: 16 bytes each, spelled by a range of the source buffer.

use crate::intern::Symbol;
use crate::source::Span;

/// A preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Form.
    pub kind: TokenKind,
    /// [`flags`].
    pub flags: u8,
    /// Length of the spelling in bytes.
    pub len: u16,
    /// Position for error messages: that of the token, or of the macro's name if the token comes
    /// from a macro's body.
    pub pos: u32,
    /// The name, for [`TokenKind::Ident`]; the parameter's index for [`TokenKind::Param`].
    pub symbol: Symbol,
    /// Buffer position of the spelling.
    pub text: u32,
}

const _: () = assert!(size_of::<Token>() == 16);

/// Bits of [`Token::flags`].
pub mod flags {
    /// First token of a line.
    pub const LINE_START: u8 = 1;
    /// White space or a comment before it.
    pub const SPACE: u8 = 2;
    /// A macro's name inside its own expansion, which never expands again.
    pub const NO_EXPAND: u8 = 4;
    /// From a macro's body: `pos` is the expansion site, not the spelling.
    pub const EXPANDED: u8 = 8;
}

impl Token {
    /// Returns whether a flag is set.
    pub fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Its spelling.
    pub fn spelling(self, text: &[u8]) -> &[u8] {
        text.get(self.text as usize..self.text as usize + usize::from(self.len)).unwrap_or_default()
    }

    /// The range for error messages: the spelling, or the whole macro name at the expansion site.
    pub fn span(self, text: &[u8]) -> Span {
        let len = if self.has(flags::EXPANDED) {
            let name = text.get(self.pos as usize..).unwrap_or_default();
            name.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count().max(1)
                as u32
        } else {
            u32::from(self.len)
        };
        Span::new(self.pos, self.pos + len)
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $text:literal)*) => {
        /// Kinds of tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum TokenKind { $($(#[$doc])* #[doc = concat!("`", $text, "`")] $name),* }

        impl TokenKind {
            /// Its spelling, or its name in a message.
            pub fn describe(self) -> &'static str {
                match self { $(TokenKind::$name => $text),* }
            }
        }
    };
}

kinds! {
    End "end of the shader"
    /// Names and keywords alike.
    Ident "identifier"
    /// Digits, hexadecimal or octal, with all letters that follow.
    Int "integer literal"
    /// Has a point or an exponent.
    Float "floating-point literal"
    LeftParen "(" RightParen ")" LeftBracket "[" RightBracket "]" LeftBrace "{" RightBrace "}"
    Dot "." Comma "," Semicolon ";" Colon ":" Question "?"
    Plus "+" Minus "-" Star "*" Slash "/" Percent "%" Less "<" Greater ">" Amp "&" Caret "^" Bar "|"
    Bang "!" Tilde "~" Equal "="
    PlusPlus "++" MinusMinus "--" ShiftLeft "<<" ShiftRight ">>" LessEqual "<=" GreaterEqual ">="
    EqualEqual "==" BangEqual "!=" AmpAmp "&&" BarBar "||" CaretCaret "^^"
    PlusEqual "+=" MinusEqual "-=" StarEqual "*=" SlashEqual "/=" PercentEqual "%="
    ShiftLeftEqual "<<=" ShiftRightEqual ">>=" AmpEqual "&=" CaretEqual "^=" BarEqual "|="
    Hash "#" HashHash "##"
    /// Only in macro bodies.
    Param "macro parameter"
    /// Only during macro substitution: an empty argument beside `##`.
    Placemarker "empty macro argument"
    /// Anything else.
    Unknown "unknown character"
}
