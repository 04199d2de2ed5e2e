//! The modules of a crate, and the paths that each of them spells out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, File, ImplItemFn, Item, ItemFn, ItemImpl, ItemMod, ItemUse, Macro, UseTree};

use crate::repository_root;

/// A module as the names that lead to it.
pub type Module = Vec<String>;

/// A source file.
#[derive(Debug)]
pub struct Source {
    /// Path of the module; empty for the root of the crate.
    pub module: Module,
    /// The paths of two names or more that it spells out outside its tests, groups of `use` taken apart.
    pub paths: Vec<Module>,
    /// True if the word `unsafe` stands in it, be it in a test.
    pub is_unsafe: bool,
    /// The paths behind the names that `use` brings into it.
    names: BTreeMap<String, Module>,
    /// The names of the items that it defines; some are those of macros that it uses, too.
    items: BTreeSet<String>,
}

impl Source {
    /// Parses the text of a module.
    pub fn parse(module: Module, text: &str) -> Self {
        let tokens: TokenStream = text.parse().unwrap_or_else(|it| panic!("{module:?}: {it}"));
        let is_unsafe = has_word(tokens.clone(), "unsafe");
        let file: File = syn::parse2(tokens).unwrap_or_else(|it| panic!("{module:?}: {it}"));
        let (names, items) = (BTreeMap::new(), BTreeSet::new());
        let source = Self { module, paths: Vec::new(), is_unsafe, names, items };
        let mut reader = Reader { source, depth: 0 };
        reader.visit_file(&file);
        for item in &file.items {
            let name = match item {
                Item::Const(it) => &it.ident,
                Item::Enum(it) => &it.ident,
                Item::Fn(it) => &it.sig.ident,
                Item::Static(it) => &it.ident,
                Item::Struct(it) => &it.ident,
                Item::Trait(it) => &it.ident,
                Item::Type(it) => &it.ident,
                _ => continue,
            };
            reader.source.items.insert(name.to_string());
        }
        reader.source
    }
}

/// Returns the sources of a crate by its folder. Files that hold nothing but tests are bound by no rule.
pub fn sources(folder: &str) -> Vec<Source> {
    let root = repository_root().join(folder).join("src");
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).expect("a file under the root").with_extension("");
            let mut module: Module =
                name.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if module.last().is_some_and(|last| last == "mod" || last == "lib") {
                module.pop();
            }
            let text = fs::read_to_string(&path).expect("a readable source");
            files.push(Source::parse(module, &text));
        }
    }
}

/// Collects the paths of a source.
struct Reader {
    source: Source,
    /// Modules within the file that surround what is read.
    depth: usize,
}

impl Reader {
    /// Adds a path, if it has two names or more.
    fn add(&mut self, mut path: Module) {
        // Within the file.
        if self.depth > 0 && path.first().is_some_and(|first| first == "super") {
            path[0] = "self".to_owned();
        }
        if path.len() > 1 {
            self.source.paths.push(path);
        }
    }

    /// Adds the paths of a tree under `prefix`.
    fn add_tree(&mut self, tree: &UseTree, prefix: &Module) {
        let longer = |name: &syn::Ident| [prefix.as_slice(), &[name.to_string()]].concat();
        let (path, name) = match tree {
            UseTree::Path(it) => return self.add_tree(&it.tree, &longer(&it.ident)),
            UseTree::Group(it) => {
                return it.items.iter().for_each(|tree| self.add_tree(tree, prefix));
            }
            UseTree::Glob(_) => (prefix.clone(), None),
            UseTree::Name(it) if it.ident == "self" => (prefix.clone(), prefix.last().cloned()),
            UseTree::Name(it) => (longer(&it.ident), Some(it.ident.to_string())),
            UseTree::Rename(it) if it.ident == "self" => {
                (prefix.clone(), Some(it.rename.to_string()))
            }
            UseTree::Rename(it) => (longer(&it.ident), Some(it.rename.to_string())),
        };
        if let Some(name) = name.filter(|_| self.depth == 0) {
            self.source.names.insert(name, path.clone());
        }
        self.add(path);
    }

    /// Adds the paths among the tokens of a macro.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons): (Module, usize) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.add(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                other => {
                    self.add(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.add(path);
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item_use(&mut self, item: &'a ItemUse) {
        if !is_test(&item.attrs) {
            self.add_tree(&item.tree, &Module::new());
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'a Macro) {
        self.visit_path(&item.path);
        self.add_tokens(item.tokens.clone());
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !is_test(&item.attrs) {
            self.depth += 1;
            visit::visit_item_mod(self, item);
            self.depth -= 1;
        }
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        if !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Ok(list) = attribute.meta.require_list() else { return false };
        let has = |word| has_word(list.tokens.clone(), word);
        list.path.is_ident("cfg") && (has("test") || has("loom")) && !has("not")
    })
}

fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == word,
        TokenTree::Group(group) => has_word(group.stream(), word),
        _ => false,
    })
}

/// The modules of a crate.
#[derive(Debug)]
pub struct Crate<'a> {
    /// The name by which its binary and its examples call it.
    name: &'a str,
    sources: BTreeMap<&'a Module, &'a Source>,
}

impl<'a> Crate<'a> {
    /// The crate of these sources.
    pub fn new(name: &'a str, sources: &'a [Source]) -> Self {
        let sources = sources.iter().map(|source| (&source.module, source)).collect();
        Self { name, sources }
    }

    /// Returns the module that a path in `from` leads to, if it is one of this crate, and the names behind it.
    pub fn resolve<'p>(&self, from: &Module, path: &'p [String]) -> Option<(Module, &'p [String])> {
        let mut base = from.clone();
        match path[0].as_str() {
            "crate" => base.clear(),
            name if name == self.name => base.clear(),
            "self" => {}
            "super" => drop(base.pop()),
            name => {
                base.push(name.to_owned());
                if !self.sources.contains_key(&base) {
                    return None;
                }
            }
        }
        let mut rest = &path[1..];
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                base.pop();
            } else {
                base.push(name.clone());
                if !self.sources.contains_key(&base) {
                    base.pop();
                    break;
                }
            }
            rest = after;
        }
        Some((base, rest))
    }

    /// Returns the module in which what a path in `from` leads to is defined, by way of whatever re-exports.
    fn defined(&self, from: &Module, path: &[String]) -> Option<Module> {
        let (mut at, mut rest) = self.resolve(from, path).map(|(at, rest)| (at, rest.to_vec()))?;
        // More than any chain of re-exports has.
        for _ in 0..16 {
            let Some((name, behind)) = rest.split_first() else { break };
            if self.sources.get(&at).is_some_and(|it| it.items.contains(name)) {
                break;
            }
            let Some(target) = self.sources.get(&at).and_then(|it| it.names.get(name)) else {
                break;
            };
            let path = [target.as_slice(), behind].concat();
            let (next, left) = self.resolve(&at, &path)?;
            (at, rest) = (next, left.to_vec());
        }
        Some(at)
    }

    /// Returns the arrows of circles: the first module imports from the second and, by way of others, the second from the first.
    /// They are looked for among the parts of each room, so the root of a room and its parts may know each other; a part stands
    /// for all that is within it.
    pub fn circles(&self) -> Vec<(Module, Module)> {
        let mut arrows: BTreeSet<(Module, Module)> = BTreeSet::new();
        for source in self.sources.values() {
            for target in source.paths.iter().filter_map(|it| self.defined(&source.module, it)) {
                let pairs = source.module.iter().zip(&target);
                let part = 1 + pairs.take_while(|(one, other)| one == other).count();
                if part <= source.module.len().min(target.len()) {
                    arrows.insert((source.module[..part].to_vec(), target[..part].to_vec()));
                }
            }
        }
        let of_circles = arrows.iter().filter(|(from, to)| reaches(&arrows, to, from));
        of_circles.cloned().collect()
    }
}

fn reaches(arrows: &BTreeSet<(Module, Module)>, from: &Module, to: &Module) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = open.pop() {
        let next = arrows.iter().filter(|(from, _)| from == at).map(|(_, to)| to);
        open.extend(next.filter(|to| seen.insert(to)));
    }
    seen.contains(to)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let source = Source::parse(vec!["a".to_owned()], text);
        source.paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn groups_are_taken_apart_and_macros_are_read() {
        let text = "use crate::{types::{self, Square, score::*}, board as b};
            pub(crate) fn f<'a>(it: &'a u8) { super::g::<u8>::h(x::Y); z!(\"k::l\", (m::n(o), p::q)) }";
        let expected = [
            "crate::types",
            "crate::types::Square",
            "crate::types::score",
            "crate::board",
            "super::g::h",
            "x::Y",
            "m::n",
            "p::q",
        ];
        assert_eq!(paths(text), expected);
    }

    #[test]
    fn tests_texts_and_comments_are_no_imports() {
        let text = "//! a::b\nconst S: &str = \"crate::c\"; // d::e
            #[cfg(test)]\nmod tests { use crate::f; }
            #[cfg(all(test, unix))]\nuse crate::g;
            mod inner { use super::h; }";
        assert_eq!(paths(text), ["self::h"]);
    }

    #[test]
    fn unsafe_is_found_wherever_it_stands() {
        let is_unsafe = |text| Source::parse(Vec::new(), text).is_unsafe;
        assert!(is_unsafe("fn f() { m!(unsafe { g() }) }") && is_unsafe("unsafe impl A for B {}"));
        assert!(!is_unsafe("#![forbid(unsafe_code)] // unsafe\nconst S: &str = \"unsafe\";"));
    }
}
