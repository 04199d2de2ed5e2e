//! The token that a browser shows to be let in.

use std::fmt;

/// A secret that a browser must know.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(...)")
    }
}

impl Token {
    /// The minimum length.
    const SHORTEST: usize = 16;

    /// Takes a text as a token; `None` if it is too short, or has letters that a URL has not.
    pub fn new(text: &str) -> Option<Self> {
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (text.len() >= Self::SHORTEST && text.bytes().all(is_fit)).then(|| Self(text.to_owned()))
    }

    /// Returns whether a text is the token, in a time that does not tell how much of it is right.
    pub fn is(&self, text: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), text.as_bytes());
        let differences = own.iter().enumerate().fold(0, |sum, (index, byte)| {
            let other = other.get(index).copied().unwrap_or(0);
            std::hint::black_box(sum | (byte ^ other))
        });
        differences == 0 && own.len() == other.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_the_token() {
        let token = Token::new("0123456789abcdef").expect("long enough");
        assert!(token.is("0123456789abcdef"));
        for other in ["", "0", "0123456789abcdeg", "0123456789abcdef0", "1123456789abcdef"] {
            assert!(!token.is(other), "{other}");
        }
        assert!(Token::new("short").is_none() && Token::new("0123456789abcdef&").is_none());
        assert!(!format!("{token:?}").contains("0123"));
    }
}
