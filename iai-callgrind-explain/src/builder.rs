//! Makes tables of profiles.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use crate::names;
use crate::object_file::ObjectFile;
use crate::profile::{Position, Profile};
use crate::sources::{Line, Roots, Sources};
use crate::table::{Edge, Environment, File, Frame, Function, Row, Table};

/// Makes the tables of profiles. It reads each object file and each source file once.
pub struct Builder {
    roots: Roots,
    environment: Environment,
    objects: HashMap<String, Object>,
    sources: Sources,
}

/// An object file with the addresses that were looked up in it.
struct Object {
    file: ObjectFile,
    places: HashMap<u64, Arc<Place>>,
}

/// What is known of an address.
struct Place {
    symbol: Option<usize>,
    /// The inline frames of the user's, from the outermost to the innermost.
    frames: Vec<OwnFrame>,
    /// The name of the innermost function; `None` if it is that of the symbol.
    inner: Option<String>,
}

/// A function of the user's at a line.
struct OwnFrame {
    /// The name; `None` if it is that of the symbol.
    name: Option<String>,
    file: String,
    line: u32,
    hashes: Line,
}

impl Builder {
    /// Creates a builder for the profiles of a run in this environment.
    #[must_use]
    pub fn new(roots: Roots, environment: Environment) -> Self {
        let sources = Sources::new(roots.clone());
        Self { roots, environment, objects: HashMap::new(), sources }
    }

    /// Makes the table of a profile. The object files and sources are still those of its run.
    pub fn table(&mut self, profile: &Profile) -> Table {
        let mut table = TableBuilder::new(profile, self);
        let counts = profile.counts.chunks_exact(profile.events.len().max(1));
        for (at, counts) in profile.costs.iter().zip(counts) {
            table.add_cost(*at, counts);
        }
        for call in &profile.calls {
            table.add_call(call.from, call.to, call.times, call.inclusive);
        }
        table.finish()
    }

    fn object(&mut self, path: &str) -> &mut Object {
        if !self.objects.contains_key(path) {
            let file = ObjectFile::open(path, &self.roots.workspace);
            self.objects.insert(path.to_owned(), Object { file, places: HashMap::new() });
        }
        self.objects.get_mut(path).expect("it was inserted")
    }

    /// Looks up an address of an object file.
    fn place(&mut self, path: &str, address: u64) -> Arc<Place> {
        if let Some(known) = self.object(path).places.get(&address) {
            return Arc::clone(known);
        }
        let object = &self.object(path).file;
        let symbol = object.symbol_at(address);
        let mut found = object.frames(address);
        found.reverse();
        // The outermost function is that of the symbol, whose name is the full one
        if let Some(outermost) = found.first_mut() {
            outermost.name = None;
        }
        let inner = found.last().and_then(|frame| frame.name.clone());
        let mut frames = Vec::new();
        for frame in found {
            let Some(own) = self.sources.own(&frame.file).map(str::to_owned) else { continue };
            let index = (frame.line as usize).checked_sub(1);
            let lines = &self.sources.get(&own).lines;
            let hashes = index.and_then(|index| lines.get(index)).copied().unwrap_or_default();
            frames.push(OwnFrame { name: frame.name, file: own, line: frame.line, hashes });
        }
        let place = Arc::new(Place { symbol, frames, inner });
        self.object(path).places.insert(address, Arc::clone(&place));
        place
    }
}

/// Gives equal values equal numbers.
struct Ids<T>(HashMap<T, u32>);

impl<T: Clone + Eq + Hash> Ids<T> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    fn id(&mut self, value: &T, all: &mut Vec<T>) -> u32 {
        if let Some(id) = self.0.get(value) {
            return *id;
        }
        let id = u32::try_from(all.len()).unwrap_or(u32::MAX);
        all.push(value.clone());
        self.0.insert(value.clone(), id);
        id
    }
}

/// A table in progress.
struct TableBuilder<'a> {
    builder: &'a mut Builder,
    profile: &'a Profile,
    table: Table,
    texts: Ids<String>,
    frames: Ids<Frame>,
    stacks: Ids<Vec<u32>>,
    /// Functions by object file and symbol, or by object file and the tool's name.
    functions: HashMap<(u32, Option<usize>, u32), u32>,
    rows: HashMap<(u32, u32, u32), usize>,
    edges: HashMap<(u32, u32, u32), usize>,
    /// Function, stack and innermost function of addresses.
    known: HashMap<Position, (u32, u32, u32)>,
}

impl<'a> TableBuilder<'a> {
    fn new(profile: &'a Profile, builder: &'a mut Builder) -> Self {
        let mut table = Table::new(profile.events.clone(), builder.environment.clone());
        table.environment.insert("Valgrind".to_owned(), profile.creator.clone());
        Self {
            builder,
            profile,
            table,
            texts: Ids::new(),
            frames: Ids::new(),
            stacks: Ids::new(),
            functions: HashMap::new(),
            rows: HashMap::new(),
            edges: HashMap::new(),
            known: HashMap::new(),
        }
    }

    fn add_cost(&mut self, at: Position, counts: &[u64]) {
        let (function, stack, inner) = self.at(at);
        let rows = &mut self.table.rows;
        let row = *self.rows.entry((function, stack, inner)).or_insert_with(|| {
            rows.push(Row { function, stack, inner, counts: Vec::new() });
            rows.len() - 1
        });
        let sums = &mut rows[row].counts;
        if sums.len() < counts.len() {
            sums.resize(counts.len(), 0);
        }
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(*count);
        }
    }

    fn add_call(&mut self, from: Position, to: Position, times: u64, inclusive: u64) {
        let (from, stack, _) = self.at(from);
        let to = self.at(to).0;
        let edges = &mut self.table.edges;
        let edge = *self.edges.entry((from, stack, to)).or_insert_with(|| {
            edges.push(Edge { caller: from, stack, callee: to, times: 0, inclusive: 0 });
            edges.len() - 1
        });
        let edge = &mut edges[edge];
        edge.times = edge.times.saturating_add(times);
        edge.inclusive = edge.inclusive.saturating_add(inclusive);
        let calls = &mut self.table.functions[to as usize].calls;
        *calls = calls.saturating_add(times);
    }

    /// Returns the function, the stack of the user's frames and the name of the innermost function of an instruction.
    fn at(&mut self, at: Position) -> (u32, u32, u32) {
        if let Some(known) = self.known.get(&at) {
            return *known;
        }
        let place = self.builder.place(&self.profile.objects[at.object as usize], at.address);
        let function = self.function(at, place.symbol);
        let own_name = self.table.functions[function as usize].name;
        let mut stack = Vec::with_capacity(place.frames.len());
        for frame in &place.frames {
            let name = self.name(frame.name.as_deref(), own_name);
            let file = self.texts.id(&frame.file, &mut self.table.texts);
            let OwnFrame { line, hashes: Line { text, pair }, .. } = *frame;
            let frame = Frame { name, file, line, text, pair };
            stack.push(self.frames.id(&frame, &mut self.table.frames));
        }
        let stack = self.stacks.id(&stack, &mut self.table.stacks);
        let inner = self.name(place.inner.as_deref(), own_name);
        self.known.insert(at, (function, stack, inner));
        (function, stack, inner)
    }

    fn name(&mut self, name: Option<&str>, own_name: u32) -> u32 {
        match name {
            Some(name) => self.texts.id(&name.to_owned(), &mut self.table.texts),
            None => own_name,
        }
    }

    fn function(&mut self, at: Position, symbol: Option<usize>) -> u32 {
        // Without a symbol, the tool's name has to do
        let key = (at.object, symbol, if symbol.is_some() { 0 } else { at.function });
        if let Some(function) = self.functions.get(&key) {
            return *function;
        }
        let object = &mut self.builder.object(&self.profile.objects[at.object as usize]).file;
        let (name, code) = match symbol {
            Some(symbol) => (object.name(symbol), object.code(symbol)),
            None => (names::demangle(&self.profile.functions[at.function as usize]), 0),
        };
        let name = self.texts.id(&name, &mut self.table.texts);
        let functions = &mut self.table.functions;
        functions.push(Function { name, calls: 0, code });
        let function = u32::try_from(functions.len() - 1).unwrap_or(u32::MAX);
        self.functions.insert(key, function);
        function
    }

    fn finish(self) -> Table {
        let Self { builder, profile, mut table, .. } = self;
        table.totals = table.sums().unwrap_or_default();
        let objects = profile.objects.iter().filter_map(|path| builder.objects.get(path));
        for Object { file, .. } in objects {
            if let Some(id) = &file.c_library {
                table.environment.insert("C library".to_owned(), id.clone());
            }
            table.has_debug_info |= file.has_debug_info() && !file.build.units.is_empty();
            for compiler in &file.build.compilers {
                table.environment.insert("compiler".to_owned(), compiler.clone());
            }
            if let Some(most) = file.build.units.values().max() {
                let number = if *most == 1 { "1" } else { "several" };
                table.environment.insert("codegen units".to_owned(), number.to_owned());
            }
        }
        let files: Vec<_> = table.frames.iter().map(|frame| frame.file).collect();
        for file in files {
            let name = table.text(file).to_owned();
            let source = builder.sources.get(&name);
            if let Some(hash) = source.hash {
                table.files.entry(name).or_insert_with(|| File::new(hash, &source.lines));
            }
        }
        table
    }
}
