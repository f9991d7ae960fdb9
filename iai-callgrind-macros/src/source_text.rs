//! Expressions and types as a user writes them, except for a blank in `vec! [1]`: the compiler puts blanks between all tokens.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// Operators of several characters.
const OPERATORS: [&str; 24] = [
    "..=", "...", "<<=", ">>=", "::", "->", "=>", "..", "&&", "||", "==", "!=", "<=", ">=", "+=",
    "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<<", ">>",
];

/// Words that an operand follows. A group in parentheses after another word is that of a call.
const KEYWORDS: [&str; 19] = [
    "as", "async", "box", "break", "const", "dyn", "else", "for", "if", "impl", "in", "let",
    "loop", "match", "move", "mut", "ref", "return", "while",
];

/// A piece of text, and where it has blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A name, a literal, or the end of a group.
    Operand,
    /// A word before an operand.
    Keyword,
    /// Nothing between it and its neighbours: `::`, `.`, `..`.
    Joint,
    /// Before an operand: `&`, `!`, `<`.
    Prefix,
    /// After an operand: `?`, the `>` of a generic type, and the `!` of a macro.
    Suffix,
    /// After an operand, with a blank behind: `,`, `:`, the end of a closure's parameters.
    End,
    /// Between two operands.
    Binary,
}

/// Formats tokens as rustfmt would, on one line.
pub(crate) fn source_text(tokens: TokenStream) -> String {
    let mut text = SourceText::default();
    text.tokens(tokens);
    text.text
}

#[derive(Debug, Default)]
struct SourceText {
    text: String,
    last: Option<Piece>,
    /// The last name starts with an upper case letter or follows `::`, so that `<` after it opens a list of types.
    is_type: bool,
    /// Number of lists of types that are open.
    open_types: usize,
    /// The last token is the `!` of a macro. A blank follows, as in the titles of other versions: `vec! [1]`.
    is_macro: bool,
    /// The parameters of a closure are open.
    is_closure_open: bool,
}

impl SourceText {
    fn tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.group(&group),
                TokenTree::Ident(name) => self.word(&name.to_string()),
                TokenTree::Literal(literal) => self.add(&literal.to_string(), Piece::Operand),
                TokenTree::Punct(punct) => {
                    let mut operator = punct.as_char().to_string();
                    let mut is_joint = punct.spacing() == Spacing::Joint;
                    while let (true, Some(TokenTree::Punct(next))) = (is_joint, tokens.peek()) {
                        let longer = format!("{operator}{}", next.as_char());
                        let closes = self.open_types > 0 && operator == ">";
                        if closes || !OPERATORS.iter().any(|known| known.starts_with(&longer)) {
                            break;
                        }
                        is_joint = next.spacing() == Spacing::Joint;
                        operator = longer;
                        tokens.next();
                    }
                    let piece = self.operator(&operator);
                    self.add(&operator, piece);
                }
            }
        }
    }

    fn word(&mut self, name: &str) {
        let piece = if KEYWORDS.contains(&name) { Piece::Keyword } else { Piece::Operand };
        self.add(name, piece);
        self.is_type = name.starts_with(char::is_uppercase);
    }

    /// Returns true if an operand ends here, so that an operator is not a prefix.
    fn is_after_operand(&self) -> bool {
        matches!(self.last, Some(Piece::Operand | Piece::Suffix))
    }

    fn operator(&mut self, operator: &str) -> Piece {
        let is_binary = self.is_after_operand();
        match operator {
            "::" if self.last == Some(Piece::Keyword) => Piece::Prefix,
            "::" | "." | ".." | "..=" => Piece::Joint,
            "," | ";" | ":" => Piece::End,
            "?" => Piece::Suffix,
            "!" if is_binary => {
                self.is_macro = true;
                Piece::Suffix
            }
            "<" if !is_binary || self.is_type => {
                self.open_types += 1;
                if is_binary { Piece::Joint } else { Piece::Prefix }
            }
            ">" if self.open_types > 0 => {
                self.open_types -= 1;
                Piece::Suffix
            }
            "|" if self.is_closure_open => {
                self.is_closure_open = false;
                Piece::End
            }
            "|" if !is_binary => {
                self.is_closure_open = true;
                Piece::Prefix
            }
            "||" if !is_binary => Piece::Keyword,
            "&" | "&&" | "*" | "-" | "!" | "#" | "'" | "$" if !is_binary => Piece::Prefix,
            "'" => Piece::Prefix,
            _ => Piece::Binary,
        }
    }

    fn group(&mut self, group: &Group) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::Brace => ("{ ", " }"),
            Delimiter::None => ("", ""),
        };
        let content = source_text(group.stream());
        let text = match (group.delimiter(), content.trim()) {
            (Delimiter::Brace, "") => "{}".to_owned(),
            (_, content) => format!("{open}{content}{close}"),
        };
        let is_called = matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::Bracket);
        if is_called && self.is_after_operand() && !self.is_macro {
            self.last = Some(Piece::Joint);
        }
        self.add(&text, Piece::Operand);
    }

    fn add(&mut self, text: &str, piece: Piece) {
        let has_blank = match self.last {
            None | Some(Piece::Joint | Piece::Prefix) => false,
            Some(Piece::End | Piece::Binary | Piece::Keyword) => true,
            Some(Piece::Operand | Piece::Suffix) => {
                !matches!(piece, Piece::Joint | Piece::Suffix | Piece::End)
            }
        };
        if has_blank {
            self.text.push(' ');
        }
        self.text.push_str(text);
        self.is_type = text == "::";
        self.is_macro &= text == "!";
        self.last = Some(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that each source has the same text.
    fn assert_kept(sources: &[&str]) {
        for source in sources {
            let tokens: TokenStream = source.parse().unwrap();
            assert_eq!(source_text(tokens), *source);
        }
    }

    #[test]
    fn expressions_are_as_rustfmt_writes_them() {
        assert_kept(&[
            "String::new(), Options::empty()",
            "&[1, 2], &mut *values, -1, !flag, 'a', \"a  b\"",
            "vec! [1; 3].len(), format! (\"{a}\", a = 1)",
            "text(1024).repeat(2)?.len()",
            "Options::A | Options::B, a & b, a && !b, a - -1, *a * *b",
            "|n| n + 1, |&n: &usize, text: &str| *n, move || (), || 3",
            "Vec::<Vec<u8>>::new(), zeros::<u64, 100>, <T as Default>::default()",
            "Vec::<u8>::with_capacity(1 << 3), a < b, a >> 2 >= 1, x as u8",
            "0..10, 1..=max, ..3, 1.., values[1..]",
            "if !a { b } else { c }, match (a, b) { (1, _) => 2, _ => {} }",
            "(1,), [[0; 2]; 3], ()",
            "Point { x: 1, y: 2 }, { 3 }",
            "iter().map(|exponent| 10_u32.pow(exponent))",
        ]);
    }

    #[test]
    fn types_are_as_rustfmt_writes_them() {
        assert_kept(&[
            "value: &mut Vec<u8>",
            "mut text: &'static str",
            "map: HashMap<String, Vec<[u8; 4]>>",
            "call: impl Fn(u8) -> Option<u8>",
            "call: &dyn Fn(&str) + Send",
            "path: std::path::PathBuf",
        ]);
    }
}
