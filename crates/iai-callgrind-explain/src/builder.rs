//! Makes tables of profiles.

mod asked;
mod compiled;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use self::asked::question;
use fnv::{FnvBuildHasher, FnvHasher};
use iai_callgrind_debuginfo::{ObjectFile, Roots, SourceFrame, UnreadDebugInfo};
use iai_callgrind_profile::{AddressProfile, CostPlace, CostPlaces, Position, files};

use crate::code;
use crate::machine_values::{AskingFunctions, LOADER_CACHE};
use crate::names;
use crate::revision::Revision;
use crate::sources::{Line, Sources};
use crate::table::{Edge, File, Frame, Function, Row, Table, UNITS};

type Map<K, V> = HashMap<K, V, FnvBuildHasher>;
type Set<K> = HashSet<K, FnvBuildHasher>;

/// Makes the tables of profiles. It reads each object file and each source file once, and looks up each address once.
pub struct Builder {
    roots: Roots,
    revision: Option<Revision>,
    objects: Vec<Object>,
    object_ids: Map<String, usize>,
    sources: Sources,
    /// The object file and the symbols of the user's functions with their inline stacks, and of the
    /// closures in them.
    symbols: Map<(u32, u32), (usize, Vec<usize>)>,
    known: Known,
    /// The functions without symbols in the current profile, by their indices in it.
    nameless: Map<u32, u32>,
    asking: AskingFunctions,
    /// The hash of the loader's cache, if a program needed it.
    loader_cache: Option<String>,
}

/// An object file with the addresses that were looked up in it.
struct Object {
    file: ObjectFile,
    /// The places of addresses with symbols.
    places: CostPlaces,
    /// The code at addresses without symbols.
    nameless: Map<u64, Code>,
    /// The address that was looked up last.
    last: Option<LookedUp>,
    /// Functions by their symbols.
    functions: Map<usize, u32>,
    /// Files of inline frames by the addresses and lengths of their paths. The paths do not move.
    files: Map<(usize, usize), Option<OwnFile>>,
    /// Names of inlined functions by the addresses and lengths of their mangled names.
    names: Map<(usize, usize), u32>,
    /// Symbols of closures by their functions, found on first use.
    closures: Option<HashMap<String, Vec<usize>>>,
    /// Symbols of closures by the names of the user's functions.
    closures_by_name: Map<u32, Vec<usize>>,
    /// The lines of the user's files that have machine code, executed or not, in a symbol, each with the text of its file.
    lines: Map<usize, BTreeSet<(u32, u32)>>,
}

/// The code at an address. Most instructions have the same code as the one before.
struct LookedUp {
    symbol: Option<usize>,
    frames: Vec<FrameKey>,
    code: Code,
}

/// The addresses and the lengths of name and file of an inline frame, and its line.
type FrameKey = ([(usize, usize); 2], u32);

fn frame_key(frame: &SourceFrame<'_>) -> FrameKey {
    let name = frame.name.unwrap_or_default();
    let names =
        [(name.as_ptr().addr(), name.len()), (frame.file.as_ptr().addr(), frame.file.len())];
    (names, frame.line)
}

/// The code at an address.
#[derive(Debug, Clone, Copy)]
struct Code {
    /// The symbol's function; `None` without a symbol.
    function: Option<u32>,
    stack: u32,
    /// Name of the innermost function; `None` if it is the symbol's name.
    inner: Option<u32>,
    /// The value of the machine that the instruction asks for.
    asked: Option<&'static str>,
}

/// A user source file.
#[derive(Debug, Clone, Copy)]
struct OwnFile {
    /// The path.
    text: u32,
    /// The index among the sources.
    source: usize,
}

/// The code at an address by indices into the pools: the function, the inline stack, the name of
/// the innermost function, and the value of the machine that it asks for.
type CodePlace = (u32, u32, u32, Option<&'static str>);

/// The pools of all tables of a builder. A table contains the entries that its rows use.
#[derive(Default)]
struct Known {
    texts: Ids<String>,
    /// Demangled names by the mangled ones.
    names: Map<String, u32>,
    functions: Vec<Function>,
    frames: Ids<Frame>,
    stacks: Ids<Vec<u32>>,
    places: Ids<CodePlace>,
    /// Names of functions of the standard library.
    standard: Map<u32, bool>,
    /// Functions without symbols by their names.
    nameless: Map<String, u32>,
}

/// Gives equal values equal numbers.
struct Ids<T> {
    values: Vec<T>,
    numbers: Map<T, u32>,
    /// The last requested number, which is often requested several times in a row.
    last: u32,
}

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: Map::default(), last: 0 }
    }
}

impl<T: Clone + Eq + Hash> Ids<T> {
    fn id(&mut self, value: T) -> u32 {
        if self.values.get(self.last as usize) == Some(&value) {
            return self.last;
        }
        if let Some(id) = self.numbers.get(&value) {
            self.last = *id;
            return *id;
        }
        let id = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.last = id;
        self.values.push(value.clone());
        self.numbers.insert(value, id);
        id
    }
}

impl Builder {
    /// Creates a builder for the profiles of a run.
    #[must_use]
    pub fn new(roots: Roots) -> Self {
        let sources = Sources::new(roots.clone());
        Self {
            roots,
            revision: None,
            objects: Vec::new(),
            object_ids: Map::default(),
            sources,
            symbols: Map::default(),
            known: Known::default(),
            nameless: Map::default(),
            asking: AskingFunctions::default(),
            loader_cache: None,
        }
    }

    /// Sets the state of the work tree that the tables contain.
    pub fn set_revision(&mut self, revision: Option<Revision>) {
        self.revision = revision;
    }

    /// Makes the table of a profile. The object files and sources must not have changed since its
    /// run.
    pub fn table(&mut self, profile: &AddressProfile) -> Table {
        let objects: Vec<_> = profile.objects.iter().map(|path| self.object(path)).collect();
        let costs = self.costs(&objects, profile);
        let mut table = Table::new(profile.events.clone());
        table.asked = self.asked(&objects, profile, &costs.asked);
        table.object_files = self.identity(&objects, profile);
        table.revision.clone_from(&self.revision);
        table.packages.clone_from(self.sources.packages());
        table.environment.insert("Valgrind".to_owned(), profile.creator.clone());
        for object in objects {
            describe(&self.objects[object].file, &mut table);
        }
        let compiled = self.compiled(&costs);
        Selection::new(&self.known, &mut table).add(costs);
        table.totals = table.sums().unwrap_or_default();
        if table.function_names().any(|name| name == LOADER) {
            let cache = self.loader_cache.get_or_insert_with(loader_cache);
            table.environment.insert(LOADER_CACHE.to_owned(), cache.clone());
        }
        let files: BTreeSet<_> = table.frames.iter().map(|frame| frame.file).collect();
        for file in files {
            let name = table.text(file).to_owned();
            let source = self.sources.get(&name);
            if let Some(hash) = source.hash {
                let file = || File::new(hash, source.code, &source.lines);
                table.files.entry(name).or_insert_with(file);
            }
        }
        table.implied = self.implied(&table, &compiled);
        table
    }

    /// Returns the reason why debug information of an object file can't be read, if there is one.
    #[must_use]
    pub fn unread_debug_info(&self) -> Option<UnreadDebugInfo> {
        self.objects.iter().find_map(|object| object.file.unread)
    }

    /// Returns the index of an object file.
    fn object(&mut self, path: &str) -> usize {
        if let Some(known) = self.object_ids.get(path) {
            return *known;
        }
        let file = ObjectFile::open(path, &self.roots);
        self.objects.push(Object {
            file,
            places: CostPlaces::default(),
            nameless: Map::default(),
            last: None,
            functions: Map::default(),
            files: Map::default(),
            names: Map::default(),
            closures: None,
            closures_by_name: Map::default(),
            lines: Map::default(),
        });
        self.object_ids.insert(path.to_owned(), self.objects.len() - 1);
        self.objects.len() - 1
    }

    /// Adds up the costs and the calls of a profile.
    fn costs(&mut self, objects: &[usize], profile: &AddressProfile) -> Costs {
        self.nameless.clear();
        let take = |object: &usize| std::mem::take(&mut self.objects[*object].places);
        let mut places: Vec<_> = objects.iter().map(take).collect();
        let sums = profile.costs.sum(&mut places, &mut |at| self.find(objects, profile, at));
        let mut costs = Costs::default();
        for (place, counts) in sums {
            let (function, stack, inner, asked) = self.known.places.values[place as usize];
            costs.asked.extend(asked);
            costs.rows.push(Row { function, stack, inner, counts });
        }
        if !costs.asked.is_empty() {
            costs.merge_rows();
        }
        for call in &profile.calls {
            let [(from, stack, ..), (to, ..)] = [call.from, call.to].map(|at| {
                let known = places[at.object as usize].get(at.address);
                let place = known.unwrap_or_else(|| self.find(objects, profile, at).number());
                self.known.places.values[place as usize]
            });
            costs.add_call((from, stack, to), call.times, call.inclusive);
        }
        for (object, places) in objects.iter().zip(places) {
            self.objects[*object].places = places;
        }
        costs
    }

    /// Returns the number of the place of an instruction.
    fn find(&mut self, objects: &[usize], profile: &AddressProfile, at: Position) -> CostPlace {
        let object = objects[at.object as usize];
        let Object { nameless, .. } = &self.objects[object];
        let known = if nameless.is_empty() { None } else { nameless.get(&at.address).copied() };
        if let Some(code) = known {
            return self.nameless(profile, at, code);
        }
        let code = self.look_up(object, at.address);
        let Code { function: Some(function), stack, inner, asked } = code else {
            self.objects[object].nameless.insert(at.address, code);
            return self.nameless(profile, at, code);
        };
        let inner = inner.unwrap_or_else(|| self.known.functions[function as usize].name);
        CostPlace::OfAddress(self.known.places.id((function, stack, inner, asked)))
    }

    /// Returns the number of the place of an instruction without a symbol.
    fn nameless(&mut self, profile: &AddressProfile, at: Position, code: Code) -> CostPlace {
        let known = &mut self.known;
        let name = &profile.functions[at.function as usize];
        let find = || known.nameless(name, &profile.objects[at.object as usize]);
        let function = *self.nameless.entry(at.function).or_insert_with(find);
        let inner = code.inner.unwrap_or_else(|| self.known.functions[function as usize].name);
        CostPlace::OfFunction(self.known.places.id((function, code.stack, inner, code.asked)))
    }

    /// Looks up an address of an object file.
    fn look_up(&mut self, object: usize, address: u64) -> Code {
        let Object { file, functions, files, names, last, .. } = &mut self.objects[object];
        let near = last.as_ref().and_then(|last| last.symbol);
        let symbol = near
            .map_or_else(|| file.symbol_at(address), |symbol| file.symbol_near(symbol, address));
        let frames = file.frames(address);
        let asked = question(file, address);
        if let Some(last) = last {
            let is_same = last.symbol == symbol
                && frames.iter().map(frame_key).eq(last.frames.iter().copied());
            if is_same {
                return Code { asked, ..last.code };
            }
        }
        let function = symbol.map(|symbol| {
            *functions.entry(symbol).or_insert_with(|| {
                let name = self.known.name(file.name(symbol));
                let code = self.known.code(file, symbol);
                // Functions of the same name and code in several places have their own calls
                self.known.functions.push(Function { name, calls: 0, code });
                u32::try_from(self.known.functions.len() - 1).unwrap_or(u32::MAX)
            })
        });
        // The outermost function is the symbol's, which has the full name
        let own_name = function.map(|function| self.known.functions[function as usize].name);
        let mut inner = None;
        let mut stack = Vec::new();
        for (index, frame) in frames.iter().rev().enumerate() {
            inner = match (index, own_name, frame.name) {
                (0, Some(_), _) | (_, _, None) => None,
                (_, _, Some(name)) => {
                    let ([key, _], _) = frame_key(frame);
                    let name = || self.known.name(&String::from_utf8_lossy(name));
                    Some(*names.entry(key).or_insert_with(name))
                }
            };
            let ([_, key], _) = frame_key(frame);
            let own = *files.entry(key).or_insert_with(|| {
                let own = self.sources.own(frame.file)?.to_owned();
                let source = self.sources.index(&own);
                Some(OwnFile { text: self.known.texts.id(own), source })
            });
            let Some(OwnFile { text: file, source }) = own else { continue };
            let Some(name) = inner.or(own_name) else { continue };
            // An instruction that was moved into an inlined function of the standard library keeps its line
            if index > 0 && self.known.is_standard(name) {
                continue;
            }
            let Line { text, pair } = self.sources.line(source, frame.line);
            stack.push(self.known.frames.id(Frame { name, file, line: frame.line, text, pair }));
        }
        let is_own = !stack.is_empty();
        let stack = self.known.stacks.id(stack);
        let code = Code { function, stack, inner, asked };
        let frames = frames.iter().map(frame_key).collect();
        self.objects[object].last = Some(LookedUp { symbol, frames, code });
        if let Some((symbol, function)) = symbol.zip(function).filter(|_| is_own) {
            if !self.symbols.contains_key(&(function, stack)) {
                let symbols = self.scan(object, symbol, stack);
                self.symbols.insert((function, stack), (object, symbols));
            }
        }
        code
    }
}

impl Known {
    /// Returns the demangled name.
    fn name(&mut self, mangled: &str) -> u32 {
        if let Some(known) = self.names.get(mangled) {
            return *known;
        }
        let name = self.texts.id(names::demangle(mangled));
        self.names.insert(mangled.to_owned(), name);
        name
    }

    /// Returns the hash of the machine code of a symbol; 0 if it is not known.
    fn code(&mut self, file: &ObjectFile, symbol: usize) -> u64 {
        let target = |address| {
            let name = self.name(file.name(file.symbol_at(address)?));
            Some(self.texts.values[name as usize].clone())
        };
        let hash = |(start, bytes)| code::hash(file.architecture(), bytes, start, target);
        file.code(symbol).map_or(0, hash)
    }

    /// Returns true if the function with this name belongs to the standard library.
    fn is_standard(&mut self, name: u32) -> bool {
        let text = &self.texts.values[name as usize];
        *self.standard.entry(name).or_insert_with(|| names::is_standard(text))
    }

    /// Returns the function of an address without a symbol in an object file, under the tool's name.
    fn nameless(&mut self, name: &str, object: &str) -> u32 {
        let name = names::nameless(name, object);
        if let Some(known) = self.nameless.get(&name) {
            return *known;
        }
        let text = self.texts.id(name.clone());
        self.functions.push(Function { name: text, calls: 0, code: 0 });
        let function = u32::try_from(self.functions.len() - 1).unwrap_or(u32::MAX);
        self.nameless.insert(name, function);
        function
    }
}

/// The loader's function that looks for a library in its cache.
const LOADER: &str = "_dl_load_cache_lookup";

/// Returns a hash of the loader's cache, which each installed library changes. The search in it takes other steps then.
fn loader_cache() -> String {
    let content = files::read("/etc/ld.so.cache").unwrap_or_default();
    let mut hasher = FnvHasher::default();
    hasher.write(&content);
    format!("{:016x}", hasher.finish())
}

/// Adds the environment of an object file to the table.
fn describe(file: &ObjectFile, table: &mut Table) {
    if let Some(id) = &file.c_library {
        table.environment.insert("C library".to_owned(), id.clone());
    }
    table.has_debug_info |= file.has_debug_info() && file.build.is_own();
    for compiler in &file.build.compilers {
        table.environment.insert("compiler".to_owned(), compiler.clone());
    }
    if let Some(most) = file.build.units.values().max() {
        let number = if *most == 1 { "1" } else { "several" };
        table.environment.insert(UNITS.to_owned(), number.to_owned());
    }
}

/// The sums of the costs and calls of a profile, by indices into the pools.
#[derive(Default)]
struct Costs {
    rows: Vec<Row>,
    edges: Vec<Edge>,
    edge_ids: Map<(u32, u32, u32), usize>,
    /// The instructions that ask for values of the machine.
    asked: Vec<&'static str>,
}

impl Costs {
    /// Merges the rows of the same code, which instructions that ask for values had divided.
    fn merge_rows(&mut self) {
        let mut indices: Map<(u32, u32, u32), usize> = Map::default();
        for row in std::mem::take(&mut self.rows) {
            let next = self.rows.len();
            let index = *indices.entry((row.function, row.stack, row.inner)).or_insert(next);
            match self.rows.get_mut(index) {
                Some(known) => known.add(&row.counts),
                None => self.rows.push(row),
            }
        }
    }

    fn add_call(&mut self, (from, stack, to): (u32, u32, u32), times: u64, inclusive: u64) {
        let edges = &mut self.edges;
        let edge = *self.edge_ids.entry((from, stack, to)).or_insert_with(|| {
            edges.push(Edge { caller: from, stack, callee: to, times: 0, inclusive: 0 });
            edges.len() - 1
        });
        let edge = &mut edges[edge];
        edge.times = edge.times.saturating_add(times);
        edge.inclusive = edge.inclusive.saturating_add(inclusive);
    }
}

/// Selects the entries that a table references.
struct Selection<'a> {
    known: &'a Known,
    table: &'a mut Table,
    texts: Map<u32, u32>,
    functions: Map<u32, u32>,
    frames: Map<u32, u32>,
    stacks: Map<u32, u32>,
}

impl<'a> Selection<'a> {
    fn new(known: &'a Known, table: &'a mut Table) -> Self {
        let empty = Map::default;
        Self { known, table, texts: empty(), functions: empty(), frames: empty(), stacks: empty() }
    }

    fn add(mut self, costs: Costs) {
        for row in costs.rows {
            let function = self.function(row.function);
            let (stack, inner) = (self.stack(row.stack), self.text(row.inner));
            self.table.rows.push(Row { function, stack, inner, counts: row.counts });
        }
        for edge in costs.edges {
            let (from, to) = (self.function(edge.caller), self.function(edge.callee));
            let stack = self.stack(edge.stack);
            let calls = &mut self.table.functions[to as usize].calls;
            *calls = calls.saturating_add(edge.times);
            self.table.edges.push(Edge { caller: from, stack, callee: to, ..edge });
        }
    }

    fn text(&mut self, text: u32) -> u32 {
        select(&mut self.texts, text, &mut self.table.texts, || {
            self.known.texts.values[text as usize].clone()
        })
    }

    fn function(&mut self, function: u32) -> u32 {
        let known = &self.known.functions[function as usize];
        let name = self.text(known.name);
        let selected = Function { name, ..known.clone() };
        select(&mut self.functions, function, &mut self.table.functions, || selected)
    }

    fn frame(&mut self, frame: u32) -> u32 {
        let known = &self.known.frames.values[frame as usize];
        let (name, file) = (self.text(known.name), self.text(known.file));
        let selected = Frame { name, file, ..known.clone() };
        select(&mut self.frames, frame, &mut self.table.frames, || selected)
    }

    fn stack(&mut self, stack: u32) -> u32 {
        if let Some(known) = self.stacks.get(&stack) {
            return *known;
        }
        let known = self.known;
        let frames =
            known.stacks.values[stack as usize].iter().map(|frame| self.frame(*frame)).collect();
        select(&mut self.stacks, stack, &mut self.table.stacks, || frames)
    }
}

/// Returns the index of a selected value, and adds the value on first use.
fn select<T>(ids: &mut Map<u32, u32>, id: u32, all: &mut Vec<T>, value: impl FnOnce() -> T) -> u32 {
    *ids.entry(id).or_insert_with(|| {
        all.push(value());
        u32::try_from(all.len() - 1).unwrap_or(u32::MAX)
    })
}
