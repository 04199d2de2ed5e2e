//! Just enough of Rust's grammar to see which paths a source spells out.

/// A module as the names that lead to it.
pub type Module = Vec<String>;

/// The source without comments, strings and characters.
pub fn code(source: &str) -> String {
    let text: Vec<char> = source.chars().collect();
    let mut code = String::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        at += match rest {
            ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['r', '"' | '#', ..]
                if !text[..at].last().is_some_and(|c| c.is_alphanumeric() || *c == '_') =>
            {
                raw_string(rest)
            }
            ['"', ..] => quoted(rest),
            ['\'', '\\', ..] => {
                3 + rest[3..].iter().position(|c| *c == '\'').map_or(0, |end| end + 1)
            }
            ['\'', _, '\'', ..] => 3,
            _ => {
                code.push(rest[0]);
                1
            }
        };
    }
    code
}

/// Length of the block comment, with those inside it, that `text` begins with.
fn block_comment(text: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Length of the string literal that `text` begins with.
fn quoted(text: &[char]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != '"' {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Length of the raw string that `text` begins with; one, for the letter alone, where it is a raw name.
fn raw_string(text: &[char]) -> usize {
    let hashes = text[1..].iter().take_while(|c| **c == '#').count();
    if text.get(1 + hashes) != Some(&'"') {
        return 1;
    }
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = &text[2 + hashes..];
    let length = body.windows(end.len()).position(|window| window == end).unwrap_or(body.len());
    2 + hashes + length + end.len()
}

/// The part of a source that stands before its tests.
pub fn before_tests(source: &str) -> &str {
    let mut offset = 0;
    let mut lines = source.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let test = line.starts_with("#[cfg(") && (line.contains("test") || line.contains("loom"));
        if test && lines.peek().is_some_and(|next| next.starts_with("mod ")) {
            return &source[..offset];
        }
        offset += line.len();
    }
    source
}

/// Names and the signs that bind them to paths.
pub fn tokens(code: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut open = false;
    for c in code.chars() {
        let word = c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(last) if word && open => last.push(c),
            Some(last) if c == ':' && last == ":" => last.push(c),
            _ if !c.is_whitespace() => tokens.push(c.to_string()),
            _ => {}
        }
        open = word;
    }
    tokens
}

/// All paths of two names or more that the code spells out, groups of `use` taken apart.
pub fn paths(tokens: &[String]) -> Vec<Module> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let starts = is_name(&tokens[at])
            && tokens.get(at + 1).is_some_and(|next| next == "::")
            && (at == 0 || tokens[at - 1] != "::");
        at = if starts { tree(tokens, at, &[], &mut found) } else { at + 1 };
    }
    found
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Reads one tree of paths under `prefix` and returns where it ends.
fn tree(tokens: &[String], mut at: usize, prefix: &[String], found: &mut Vec<Module>) -> usize {
    let mut path = prefix.to_vec();
    while let Some(token) = tokens.get(at) {
        if token == "{" {
            at += 1;
            while tokens.get(at).is_some_and(|token| token != "}") {
                at = if tokens[at] == "," {
                    at + 1
                } else {
                    tree(tokens, at, &path, found).max(at + 1)
                };
            }
            return at + 1;
        }
        if !is_name(token) {
            at += usize::from(token == "*");
            break;
        }
        path.push(token.clone());
        at += 1;
        if tokens.get(at).is_none_or(|token| token != "::") {
            break;
        }
        at += 1;
    }
    found.push(path);
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_no_code() {
        let text = "a 'b' '\\'' \"c \\\" d\" r#\"e\" f\"# 'static /* g /* h */ i */ j // k\nl r\"m\" var\"n\"";
        let words: Vec<String> = code(text).split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["a", "'static", "j", "l", "var"]);
    }

    #[test]
    fn groups_are_taken_apart() {
        let text = "use crate::{types::{Square, score::*}, board}; pub(crate) fn f(&self) { super::g::<u8>::h(x::Y) }";
        let found: Vec<String> =
            paths(&tokens(&code(text))).iter().map(|path| path.join("::")).collect();
        assert_eq!(
            found,
            ["crate::types::Square", "crate::types::score", "crate::board", "super::g", "x::Y"]
        );
    }
}
