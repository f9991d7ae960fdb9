//! The modules of a crate and the paths of other modules in them, read from its sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, Macro, MetaList, UseTree, Visibility};

/// Path of a module or an item from the root of its crate.
pub(crate) type CratePath = Vec<String>;

/// A path in a source file.
pub(crate) struct Import {
    pub(crate) path: CratePath,
    /// `true` in an inline module of tests.
    pub(crate) in_tests: bool,
}

/// A file of a crate.
pub(crate) struct Source {
    /// Path from the directory of the crate's root file.
    pub(crate) file: PathBuf,
    pub(crate) imports: Vec<Import>,
    /// Paths of the items that `pub use` renames or exports, by their paths in this module.
    exports: BTreeMap<CratePath, CratePath>,
}

/// The files of a crate by the path of their module.
pub(crate) struct Sources {
    directory: PathBuf,
    pub(crate) modules: BTreeMap<CratePath, Source>,
}

impl Sources {
    /// Reads a crate from its root file on.
    pub(crate) fn read(root: &Path) -> Self {
        let directory = root.parent().unwrap().to_owned();
        let mut sources = Self { directory, modules: BTreeMap::new() };
        sources.read_module(Path::new(root.file_name().unwrap()), &[]);
        sources
    }

    /// Reads a file and the files of its modules.
    fn read_module(&mut self, file: &Path, module: &[String]) {
        let text = fs::read_to_string(self.directory.join(file)).unwrap();
        let (mut source, children) = parse(&text, module);
        file.clone_into(&mut source.file);
        self.modules.insert(module.to_vec(), source);
        for name in children {
            let module: CratePath = module.iter().cloned().chain([name.clone()]).collect();
            let path = child(file, &name);
            self.read_module(&path, &module);
        }
    }

    /// Returns the module whose file defines the item with this path, with `true` for one in its inline tests.
    pub(crate) fn resolve(&self, path: &[String]) -> (&[String], bool) {
        let is_module = |length: &usize| self.modules.contains_key(&path[..*length]);
        let length = (0..=path.len()).rev().find(is_module).unwrap_or(0);
        let (module, source) = self.modules.get_key_value(&path[..length]).unwrap();
        let rest = &path[length..];
        // A name that an inline module and an item in it share is in this file
        let export = (1..=rest.len()).find_map(|end| {
            let target = source.exports.get(&rest[..end])?;
            (!target.starts_with(&path[..length + end])).then_some((target, &rest[end..]))
        });
        match export {
            Some((target, rest)) => self.resolve(&[target, rest].concat()),
            None => (module, rest.first().is_some_and(|name| name == "tests")),
        }
    }
}

/// Returns the file of a module that this file declares.
fn child(file: &Path, name: &str) -> PathBuf {
    let owns_directory =
        ["lib.rs", "main.rs"].iter().any(|root| file.file_name().unwrap() == *root);
    let stem = if owns_directory { file.with_file_name("") } else { file.with_extension("") };
    stem.join(format!("{name}.rs"))
}

/// Returns the paths in a file, and the names of the modules that are files of their own.
fn parse(text: &str, module: &[String]) -> (Source, Vec<String>) {
    let parsed = syn::parse_file(text).unwrap();
    let mut reader = Reader::new(module);
    reader.visit_file(&parsed);
    reader.is_after_uses = true;
    reader.visit_file(&parsed);
    reader.children.dedup();
    let Reader { imports, exports, children, .. } = reader;
    (Source { file: PathBuf::new(), imports, exports }, children)
}

/// Collects the paths of a file: first those of `use` declarations, whose names the other paths can start with.
struct Reader {
    /// Path of the file's module.
    root: CratePath,
    /// Path of the inline module that is being read.
    module: CratePath,
    /// Modules that the file declares, and names that it imports.
    aliases: BTreeMap<String, CratePath>,
    exports: BTreeMap<CratePath, CratePath>,
    imports: Vec<Import>,
    children: Vec<String>,
    is_after_uses: bool,
}

impl Reader {
    fn new(module: &[String]) -> Self {
        Self {
            root: module.to_vec(),
            module: module.to_vec(),
            aliases: BTreeMap::new(),
            exports: BTreeMap::new(),
            imports: Vec::new(),
            children: Vec::new(),
            is_after_uses: false,
        }
    }

    fn add(&mut self, path: CratePath) {
        let in_tests = self.module[self.root.len()..].iter().any(|name| name == "tests");
        self.imports.push(Import { path, in_tests });
    }

    /// Returns a path from the root of the crate, or `None` for one of another crate.
    fn absolute(&self, names: &[String]) -> Option<CratePath> {
        let (first, mut rest) = names.split_first()?;
        let mut path = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => self.module[..self.module.len() - 1].to_vec(),
            name => self.aliases.get(name)?.clone(),
        };
        while let Some(("super", others)) = rest.split_first().map(|(name, rest)| (&**name, rest)) {
            path.pop();
            rest = others;
        }
        path.extend_from_slice(rest);
        Some(path)
    }

    /// Adds a path outside of a `use` declaration.
    fn add_names(&mut self, names: &[String]) {
        // An imported name was added with its declaration
        let is_known = names.len() == 1 && !self.exports.contains_key(names);
        if self.is_after_uses && !is_known {
            if let Some(path) = self.absolute(names) {
                self.add(path);
            }
        }
    }

    /// Adds the leaves of a `use` declaration.
    fn add_tree(&mut self, tree: &UseTree, names: &[String], is_public: bool) {
        let and = |name: &dyn ToString| [names, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&path.tree, &and(&path.ident), is_public),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, names, is_public);
                }
            }
            UseTree::Name(name) if name.ident == "self" => {
                self.add_leaf(names.last().unwrap(), names, is_public);
            }
            UseTree::Name(name) => {
                self.add_leaf(&name.ident.to_string(), &and(&name.ident), is_public);
            }
            UseTree::Rename(name) => {
                self.add_leaf(&name.rename.to_string(), &and(&name.ident), is_public);
            }
            UseTree::Glob(_) => self.add_leaf("*", names, is_public),
        }
    }

    fn add_leaf(&mut self, name: &str, names: &[String], is_public: bool) {
        let Some(path) = self.absolute(names) else { return };
        if is_public {
            let inline = &self.module[self.root.len()..];
            self.exports.insert([inline, &[name.to_owned()]].concat(), path.clone());
        }
        // To export an item of a child is not a dependency
        if !is_public || !path.starts_with(&self.root) {
            self.add(path.clone());
        }
        // A path starts with a module rather than with an item of the same name
        self.aliases.entry(name.to_owned()).or_insert(path);
    }

    /// Adds the paths in the tokens of a macro or an attribute, also those of nested groups.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut names: Vec<String> = Vec::new();
        let mut colons = 0;
        // `true` behind a field's dot or the `$` of a macro's parameter
        let mut is_other = false;
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.add_names(&std::mem::take(&mut names));
                    }
                    if !is_other && (colons != 2 || !names.is_empty()) {
                        names.push(name.to_string());
                    }
                    (colons, is_other) = (0, false);
                }
                other => {
                    self.add_names(&std::mem::take(&mut names));
                    colons = 0;
                    is_other =
                        matches!(&other, TokenTree::Punct(mark) if ".$".contains(mark.as_char()));
                    if let TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.add_names(&names);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let name = item.ident.to_string();
        let path: CratePath = self.module.iter().cloned().chain([name.clone()]).collect();
        if !self.is_after_uses {
            self.aliases.insert(name.clone(), path.clone());
        }
        if item.content.is_none() {
            if !self.is_after_uses {
                self.children.push(name);
            }
            return;
        }
        let outer = std::mem::replace(&mut self.module, path);
        visit::visit_item_mod(self, item);
        self.module = outer;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !self.is_after_uses && item.leading_colon.is_none() {
            let is_public = !matches!(item.vis, Visibility::Inherited);
            self.add_tree(&item.tree, &[], is_public);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names: Vec<_> =
                path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.add_names(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        // Quoted code is not that of this crate
        if !call
            .path
            .segments
            .last()
            .is_some_and(|name| name.ident.to_string().starts_with("quote"))
        {
            self.add_tokens(call.tokens.clone());
        }
    }

    fn visit_meta_list(&mut self, list: &'ast MetaList) {
        self.add_tokens(list.tokens.clone());
    }

    /// Skips `pub(crate)`.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

#[test]
fn paths_are_found_in_code_macros_and_attributes() {
    let text = r##"
        mod child;
        use crate::{a::{self, B as C}, d};
        pub(crate) use self::child::Exported;
        use std::fmt; // crate::comment
        #[attribute(value = crate::in_attribute::X)]
        fn f<'a>() { let _ = ("crate::string", r#"crate::raw"#, '"', crate::e::F::new); child::g(); d::h(); Exported; }
        fn g() { call!(1, (crate::in_macro::a(), d::in_macro), $crate::none, b.crate::none) }
        mod tests { use super::*; fn f() { super::super::i(); } }
    "##;
    let (source, children) = parse(text, &["m".to_owned()]);
    let found: Vec<_> =
        source.imports.iter().map(|import| (import.path.join("::"), import.in_tests)).collect();
    let expected = [
        ("a", false),
        ("a::B", false),
        ("d", false),
        ("m", true),
        ("in_attribute::X", false),
        ("e::F::new", false),
        ("m::child::g", false),
        ("d::h", false),
        ("m::child::Exported", false),
        ("in_macro::a", false),
        ("d::in_macro", false),
        ("i", true),
    ];
    assert_eq!(found, expected.map(|(path, in_tests)| (path.to_owned(), in_tests)));
    assert_eq!(source.exports[&["Exported".to_owned()][..]].join("::"), "m::child::Exported");
    assert_eq!(children, ["child"]);
}
