//! The thunks in the heap of a program compiled by GHC, and the functions that wait on its stacks,
//! counted from outside.
//!
//! A heap profile of a plain program (`-hT`) shows kinds of thunks, but not their origin. However,
//! each closure begins with the address of its code, and just before that code a table gives the
//! kind of the closure and the positions of its pointers (`rts/include/rts/storage/InfoTables.h`
//! and `Closures.h` in GHC's sources; programs built with tables next to code, as all ordinary ones
//! are):
//!
//! ```text
//! code - 16   layout: number of pointers (32 bits), and number of other words (32 bits)
//! code -  8   kind of the closure, 32 bits
//! ```
//!
//! So a word of the heap that is the address of a thunk's code is the beginning of a thunk:
//! pointers to closures point elsewhere. The code has lines of the source (`-g1`), those of the
//! place at which the thunk was written, even if that was inlined. Thunks made by libraries and the
//! runtime count for the function of the program that they are to apply, if they hold one. Dead
//! thunks not yet overwritten are counted, too: at most the size of the nursery, and those that
//! died in the older generation.
//!
//! Some thunks are evaluated soon, and some wait for each other: a thunk that holds, through
//! constructors, functions and indirections, a thunk with the same code is a link of a chain.
//!
//! A stack is a chain of pieces in the heap, of 32 kB each by default. A piece contains its size
//! and the position of its top frame (`StgStack` of `rts/include/rts/storage/TSO.h` in GHC's
//! sources):
//!
//! ```text
//! piece +  0   the code of all stacks
//! piece +  8   its words, 32 bits, and two marks
//! piece + 16   the address of its top frame
//! piece + 24   room for frames, up to its words
//! ```
//!
//! The frames of libraries count for the nearest code of the program that waits for them. For the
//! piece in which the program is running, a register has the current top frame; it is counted from
//! its top at the last switch to the program. In a deep stack the difference is negligible.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Range;

use super::causes::names::Location;
use super::causes::{Program, Site};
use super::image::{Code, Image};
use super::instructions::Notes;
use super::samples::{Frame, Function, Place, Role, WORD, walk};

/// A piece of the program's memory: its first address, and its contents.
pub type Piece = (u64, Vec<u8>);

/// The thunks of a heap, by their code, at the address that it was linked to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Census {
    thunks: BTreeMap<u64, Thunks>,
}

/// The thunks with the same code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thunks {
    /// Their bytes.
    pub bytes: u64,
    /// The number of words that each of them holds.
    pub words: u64,
    /// The number of them that were examined.
    pub seen: u64,
    /// By code: the number of examined ones that hold a thunk with that code.
    pub holds: BTreeMap<u64, u64>,
}

/// The approximate number of thunks of a heap that are examined.
const LOOKED_INTO: u64 = 20_000;

/// The most closures visited on the way from a thunk to those that it holds.
const MOST_STEPS: usize = 24;

/// In a chain, at least one in this number of thunks holds another.
const OFTEN: u64 = 4;

/// A table with more words is not that of a thunk.
const MOST_WORDS: u64 = 255;

/// The lowest bits of a pointer are a tag for its target.
const TAG: u64 = 7;

/// Kinds of closures (`rts/include/rts/storage/ClosureTypes.h`, the same from GHC 8.8 to 9.12).
mod kind {
    pub(super) const CONSTRUCTORS: std::ops::RangeInclusive<u32> = 1..=7;
    /// The last is that of statically linked ones.
    pub(super) const FUNCTIONS: std::ops::RangeInclusive<u32> = 8..=14;
    pub(super) const THUNK: u32 = 15;
    pub(super) const THUNK_1_0: u32 = 16;
    pub(super) const THUNK_0_1: u32 = 17;
    pub(super) const THUNK_2_0: u32 = 18;
    pub(super) const THUNK_1_1: u32 = 19;
    pub(super) const THUNK_0_2: u32 = 20;
    pub(super) const THUNK_SELECTOR: u32 = 22;
    pub(super) const AP: u32 = 24;
    pub(super) const PAP: u32 = 25;
    pub(super) const IND: u32 = 27;
    pub(super) const BLACKHOLE: u32 = 38;
}

/// The contents of the table before some code.
#[derive(Debug, Clone, Copy)]
struct Table {
    /// The address to which the code was linked.
    code: u64,
    kind: u32,
    pointers: u64,
    others: u64,
}

impl Table {
    /// True if it belongs to a thunk: small ones have separate kinds, which give the number of
    /// words.
    fn is_thunk(self) -> bool {
        let words = (self.pointers, self.others);
        match self.kind {
            kind::THUNK => (3..=MOST_WORDS).contains(&(self.pointers + self.others)),
            kind::THUNK_1_0 => words == (1, 0),
            kind::THUNK_0_1 => words == (0, 1),
            kind::THUNK_2_0 => words == (2, 0),
            kind::THUNK_1_1 => words == (1, 1),
            kind::THUNK_0_2 => words == (0, 2),
            kind::THUNK_SELECTOR => true,
            _ => false,
        }
    }

    /// The start of the pointers in a closure, in words, and their number.
    fn pointers(self) -> (u64, u64) {
        match self.kind {
            it if kind::CONSTRUCTORS.contains(&it) || kind::FUNCTIONS.contains(&it) => {
                (1, self.pointers)
            }
            // After the code there is room for the value.
            kind::THUNK..=kind::THUNK_0_2 => (2, self.pointers),
            kind::THUNK_SELECTOR => (2, 1),
            kind::IND | kind::BLACKHOLE => (1, 1),
            _ => (0, 0),
        }
    }

    fn words(self) -> u64 {
        match self.kind {
            kind::THUNK_SELECTOR => 1,
            _ => self.pointers + self.others,
        }
    }
}

/// Thunks from one place in the source, or from one library function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The binding of the top level that contains the code, if known.
    pub site: Option<Site>,
    /// The line that it is written on; `None` for code outside the program.
    pub at: Option<Location>,
    /// The library function that it belongs to.
    pub library: Option<Function>,
    /// Their bytes.
    pub bytes: u64,
    /// The number of words of free variables that each of them holds.
    pub words: u64,
    /// Set if they are in chains.
    pub is_chained: bool,
}

impl Census {
    /// Counts the thunks in some pieces of memory, in the order of their addresses. `moved_by` is
    /// the distance from the link address of the program's code up to its load address.
    pub fn read(image: &Image, moved_by: u64, pieces: &[Piece]) -> Self {
        let mut heap = Heap::new(image, moved_by, pieces);
        let found = heap.found(Table::is_thunk);
        let every = (found.len() as u64 / LOOKED_INTO).max(1);
        let mut census = Self::default();
        for (number, (at, table)) in found.into_iter().enumerate() {
            let thunks = census.thunks.entry(heap.owner(at, table)).or_default();
            thunks.bytes += (2 + table.words()) * WORD;
            thunks.words = table.words();
            if (number as u64).is_multiple_of(every) {
                thunks.seen += 1;
                for held in heap.held(at, table) {
                    *thunks.holds.entry(held).or_default() += 1;
                }
            }
        }
        census
    }

    /// The bytes of all thunks.
    pub fn bytes(&self) -> u64 {
        self.thunks.values().map(|it| it.bytes).sum()
    }

    /// The places at which the thunks are written, those with most bytes first.
    pub fn placed(&self, program: &Program, image: &Image) -> Vec<Waiting> {
        let notes = Notes::from_program(program);
        let waiting = |(code, thunks): (&u64, &Thunks)| {
            let Thunks { bytes, words, .. } = *thunks;
            let is_chained = self.is_chained(*code);
            let mut waiting =
                Waiting { site: None, at: None, library: None, bytes, words, is_chained };
            let Some((Code::Haskell { module, name, .. }, _)) = image.code(*code) else {
                return waiting;
            };
            match place_of(program, &notes, image, *code) {
                Some((site, at)) => (waiting.site, waiting.at) = (site, at),
                None => {
                    let (module, name) = (Some(module.clone()), name.clone());
                    waiting.library = Some(Function { module, name });
                }
            }
            waiting
        };
        let mut all: Vec<Waiting> = self.thunks.iter().map(waiting).collect();
        all.sort_by_key(|it| std::cmp::Reverse(it.bytes));
        all
    }

    /// True if the thunks with some code are in chains: a part of them holds thunks that hold,
    /// directly or indirectly, such a thunk.
    fn is_chained(&self, code: u64) -> bool {
        let held = |code: u64| {
            let thunks = self.thunks.get(&code);
            let often = |it: &Thunks| it.seen.div_ceil(OFTEN).max(2);
            let all = thunks
                .into_iter()
                .flat_map(move |it| it.holds.iter().filter(move |(_, count)| **count >= often(it)));
            all.map(|(code, _)| *code)
        };
        let mut waiting: Vec<u64> = held(code).collect();
        let mut passed = BTreeSet::new();
        while let Some(next) = waiting.pop() {
            if next == code {
                return true;
            }
            if passed.insert(next) {
                waiting.extend(held(next));
            }
        }
        false
    }
}

/// The binding of the top level that contains some code of the program, and the line that it is
/// written on; `None` if it has no line, because it is not code of the program.
pub(super) fn place_of(
    program: &Program,
    notes: &Notes,
    image: &Image,
    code: u64,
) -> Option<(Option<Site>, Option<Location>)> {
    let (Code::Haskell { module, name, .. }, is_exact) = image.code(code)? else { return None };
    let line = image.line(code)?.clone();
    let at = program.source_line(&line.file, line.line);
    let place = Place { module: module.clone(), name: name.clone(), is_exact, line: Some(line) };
    Some((place.site(program, notes), at))
}

/// A heap under examination.
pub(super) struct Heap<'a> {
    image: &'a Image,
    /// The address range of the program's code, as linked.
    range: Range<u64>,
    moved_by: u64,
    pieces: &'a [Piece],
    /// By link address: the table before the code there, cached after the first lookup.
    tables: HashMap<u64, Option<Table>>,
}

impl<'a> Heap<'a> {
    /// Some pieces of memory, in the order of their addresses, of a program whose code is loaded
    /// `moved_by` above its link address.
    pub(super) fn new(image: &'a Image, moved_by: u64, pieces: &'a [Piece]) -> Self {
        Self { image, range: image.code_range(), moved_by, pieces, tables: HashMap::new() }
    }

    /// The addresses of the words that point to the code of closures of a kind.
    pub(super) fn of_kind(&mut self, kind: u32) -> Vec<u64> {
        self.found(|table| table.kind == kind).into_iter().map(|(at, _)| at).collect()
    }

    /// The addresses of the words that point to code with a wanted table, and these tables.
    fn found(&mut self, is_wanted: impl Fn(Table) -> bool) -> Vec<(u64, Table)> {
        let mut found = Vec::new();
        for (start, bytes) in self.pieces {
            for (at, word) in bytes.chunks_exact(WORD as usize).enumerate() {
                let Ok(word) = word.try_into().map(u64::from_ne_bytes) else { continue };
                if let Some(table) = self.table(word).filter(|it| is_wanted(*it)) {
                    found.push((start + at as u64 * WORD, table));
                }
            }
        }
        found
    }

    /// The table before some code; `None` if the word is not a code address.
    fn table(&mut self, word: u64) -> Option<Table> {
        let code = word.wrapping_sub(self.moved_by);
        if !self.range.contains(&code) {
            return None;
        }
        let image = self.image;
        *self.tables.entry(code).or_insert_with(|| {
            let kind = image.word(code.checked_sub(WORD)?)? as u32;
            let layout = image.word(code.checked_sub(2 * WORD)?)?;
            let (pointers, others) = (layout & u64::from(u32::MAX), layout >> 32);
            Some(Table { code, kind, pointers, others })
        })
    }

    pub(super) fn word(&self, address: u64) -> Option<u64> {
        let after = self.pieces.partition_point(|(start, _)| *start <= address);
        let (start, bytes) = self.pieces.get(after.checked_sub(1)?)?;
        let at = usize::try_from(address - start).ok()?;
        Some(u64::from_ne_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
    }

    /// The word at an address, in the heap or in the linked image.
    pub(super) fn any_word(&self, address: u64) -> Option<u64> {
        self.word(address).or_else(|| self.image.word(address.wrapping_sub(self.moved_by)))
    }

    /// The table of the closure at an address, in the heap or in the linked image.
    fn closure(&mut self, address: u64) -> Option<Table> {
        let word = self.any_word(address)?;
        self.table(word)
    }

    /// The code that a thunk counts for: its own, or that of the program's function that it holds.
    fn owner(&mut self, thunk: u64, table: Table) -> u64 {
        if self.image.line(table.code).is_some() {
            return table.code;
        }
        for held in self.pointers(thunk, table) {
            let Some(mut of) = self.closure(held) else { continue };
            if of.kind == kind::PAP
                && let Some(applied) = self.pointers(held, of).first().copied()
            {
                match self.closure(applied) {
                    Some(applied) => of = applied,
                    None => continue,
                }
            }
            if kind::FUNCTIONS.contains(&of.kind) && self.image.line(of.code).is_some() {
                return of.code;
            }
        }
        table.code
    }

    /// The codes of the thunks that a thunk holds. Those of the runtime, such as the thunk of an
    /// application or of a field, are traversed like constructors.
    fn held(&mut self, thunk: u64, table: Table) -> BTreeSet<u64> {
        let mut held = BTreeSet::new();
        let mut waiting = VecDeque::from(self.pointers(thunk, table));
        for _ in 0..MOST_STEPS {
            let Some(next) = waiting.pop_front() else { break };
            let Some(table) = self.word(next).and_then(|word| self.table(word)) else { continue };
            if table.is_thunk() {
                held.insert(self.owner(next, table));
            }
            if !table.is_thunk() || self.image.is_native(table.code) {
                waiting.extend(self.pointers(next, table));
            }
        }
        held
    }

    /// The closures that a closure points to.
    fn pointers(&self, closure: u64, table: Table) -> Vec<u64> {
        let word = |number: u64| self.word(closure + number * WORD);
        let (first, count) = match table.kind {
            // The number of arguments takes half a word, and the function comes before them.
            kind::AP => (3, 1 + word(2).map_or(0, |it| it >> 32)),
            kind::PAP => (2, 1 + word(1).map_or(0, |it| it >> 32)),
            _ => table.pointers(),
        };
        let all = first..first + count.min(MOST_STEPS as u64);
        all.filter_map(word).map(|it| it & !TAG).collect()
    }
}

/// The frames on the stacks of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stacks {
    /// All frames, including those for which no code of the program waits.
    all: Frames,
    /// By the code of the program that waits for them, at the address that it was linked to.
    waiting: BTreeMap<u64, Frames>,
}

/// Some frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Frames {
    /// Their number.
    pub count: u64,
    /// The number of them that will update a thunk with its value.
    pub updates: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The waiting bindings on the stacks of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waits {
    /// All frames.
    pub all: Frames,
    /// The bindings of the program that wait, with the line on which they continue; those with most
    /// bytes first.
    pub by: Vec<(Site, Option<Location>, Frames)>,
}

/// The kind of a stack's piece (`rts/include/rts/storage/ClosureTypes.h`, the same from GHC 8.8 to
/// 9.12).
const STACK: u32 = 53;

/// The words of a piece before its frames.
const HEADER: u64 = 3;

impl Frames {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.updates += other.updates;
        self.bytes += other.bytes;
    }
}

/// A piece of a stack.
#[derive(Debug, Default)]
struct Chunk {
    /// The code of the program on it that waits for all frames above.
    first: Option<u64>,
    /// The frames for which no code on it waits.
    left: Frames,
    /// The address of the piece below it.
    below: Option<u64>,
}

impl Stacks {
    /// Counts the frames in some pieces of memory, in the order of their addresses. `moved_by` is
    /// the distance from the link address of the program's code up to its load address.
    pub fn read(image: &Image, moved_by: u64, pieces: &[Piece]) -> Self {
        let mut heap = Heap::new(image, moved_by, pieces);
        let found = heap.of_kind(STACK);
        let mut stacks = Self::default();
        let mut chunks: HashMap<u64, Chunk> = HashMap::new();
        for piece in found {
            if let Some(frames) = frames(&heap, piece) {
                let linked = |it: &Frame| it.code.wrapping_sub(moved_by);
                let is_own = |it: &Frame| image.line(linked(it)).is_some();
                let mut chunk = Chunk::default();
                for (frame, bytes) in frames {
                    let updates = u64::from(frame.role == Role::Update);
                    let one = Frames { count: 1, updates, bytes };
                    stacks.all.add(one);
                    chunk.left.add(one);
                    if is_own(&frame) {
                        let code = linked(&frame);
                        chunk.first.get_or_insert(code);
                        let waiting = stacks.waiting.entry(code).or_default();
                        waiting.add(std::mem::take(&mut chunk.left));
                    }
                    if let Role::Underflow(below) = frame.role {
                        chunk.below = Some(below);
                    }
                }
                chunks.insert(piece, chunk);
            }
        }
        // The code that waits for the last frames of a piece is on one of those below.
        for chunk in chunks.values() {
            let below = |it: &&Chunk| chunks.get(&it.below?);
            let all = std::iter::successors(Some(chunk), below).skip(1).take(chunks.len());
            if let Some(code) = all.into_iter().find_map(|it| it.first) {
                stacks.waiting.entry(code).or_default().add(chunk.left);
            }
        }
        stacks
    }

    /// The bytes of all frames.
    pub fn bytes(&self) -> u64 {
        self.all.bytes
    }

    /// The waiting bindings.
    pub fn placed(&self, program: &Program, image: &Image) -> Waits {
        let notes = Notes::from_program(program);
        let placed = |(code, frames): (&u64, &Frames)| {
            let (site, at) = place_of(program, &notes, image, *code)?;
            Some((site?, at, *frames))
        };
        let mut by: Vec<_> = self.waiting.iter().filter_map(placed).collect();
        by.sort_by_key(|(_, _, it)| std::cmp::Reverse(it.bytes));
        Waits { all: self.all, by }
    }
}

/// The frames of a piece of a stack, from its top, with their bytes; `None` if it is not such a
/// piece.
fn frames(heap: &Heap<'_>, piece: u64) -> Option<Vec<(Frame, u64)>> {
    let words = heap.word(piece + WORD)? & u64::from(u32::MAX);
    let top = heap.word(piece + 2 * WORD)?;
    let start = piece + HEADER * WORD;
    let room = start..start + words * WORD;
    if !room.contains(&top) {
        return None;
    }
    let mut frames: Vec<Frame> = Vec::new();
    walk(top, words as usize, &mut |address| heap.any_word(address), &mut |frame| {
        let is_here = room.contains(&frame.at);
        frames.extend(is_here.then_some(frame));
        is_here && !matches!(frame.role, Role::Underflow(_))
    });
    let ends = frames.iter().skip(1).map(|it| it.at).chain([room.end]);
    let sized = frames.iter().zip(ends).map(|(frame, end)| (*frame, end - frame.at));
    Some(sized.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The link address of the program, and its distance to the load address.
    const LINKED: u64 = 0x40_0000;
    const MOVED: u64 = 0x1000;
    const HEAP: u64 = 0x42_0000_0000;

    /// Three functions, each with a table before it: layout, kind, code.
    fn image() -> Image {
        let table =
            |pointers: u64, others: u64, kind: u32| [pointers | others << 32, u64::from(kind)];
        let words: Vec<u64> = [
            table(2, 0, kind::THUNK_2_0),
            table(1, 0, kind::THUNK_1_0),
            table(1, 0, *kind::CONSTRUCTORS.start()),
            table(1, 0, kind::THUNK_1_0),
            table(1, 0, *kind::FUNCTIONS.start()),
        ]
        .iter()
        .flat_map(|table| [table[0], table[1], 0])
        .collect();
        let at = |number: u64| LINKED + number * 3 * WORD + 2 * WORD;
        let functions = [
            (at(0), "adds", 7),
            (at(1), "makes", 9),
            (at(2), "Box", 0),
            (at(3), "map", 0),
            (at(4), "f", 11),
        ];
        Image::made(LINKED, &words, &functions)
    }

    fn code(number: u64) -> u64 {
        LINKED + number * 3 * WORD + 2 * WORD
    }

    fn loaded(number: u64) -> u64 {
        code(number) + MOVED
    }

    fn census(words: &[u64]) -> Census {
        let bytes = words.iter().flat_map(|it| it.to_ne_bytes()).collect();
        Census::read(&image(), MOVED, &[(HEAP, bytes)])
    }

    /// Links that each hold the one before through a constructor, and an element.
    fn chain(links: u64) -> Vec<u64> {
        let mut words = Vec::new();
        for link in 0..links {
            let begin = HEAP + link * 9 * WORD;
            let element = begin + 4 * WORD;
            let before = begin - 2 * WORD + 1;
            // A thunk, its element, and a constructor with a tag around the thunk.
            words.extend([loaded(0), 0, before, element]);
            words.extend([loaded(1), 0, 0]);
            words.extend([loaded(2), begin]);
        }
        words
    }

    #[test]
    fn thunks_that_hold_each_other_are_a_chain_and_what_they_hold_is_none() {
        let census = census(&chain(100));
        let thunks = |number: u64| census.thunks.get(&code(number)).expect("thunks");
        assert_eq!((thunks(0).bytes, thunks(0).words), (100 * 4 * WORD, 2));
        assert_eq!((thunks(1).bytes, thunks(1).words), (100 * 3 * WORD, 1));
        assert_eq!(census.thunks.len(), 2, "constructors are no thunks");
        assert_eq!(census.bytes(), 700 * WORD);
        assert!(census.is_chained(code(0)));
        assert!(!census.is_chained(code(1)));
    }

    #[test]
    fn a_thunk_of_a_library_counts_for_the_function_of_the_program_that_it_is_to_apply() {
        let function = [loaded(4), 0];
        let applied = [loaded(3), 0, HEAP + 1];
        let bare = [loaded(3), 0, 0];
        let census = census(&[&function[..], &applied, &bare].concat());
        let bytes = |number: u64| census.thunks.get(&code(number)).map(|it| it.bytes);
        assert_eq!(bytes(4), Some(3 * WORD));
        assert_eq!(bytes(3), Some(3 * WORD));
    }

    #[test]
    fn what_is_no_address_of_code_is_no_thunk() {
        let noise: Vec<u64> = vec![0, 1, u64::MAX, LINKED, loaded(0) + 1, code(0), HEAP, loaded(2)];
        assert_eq!(census(&noise), Census::default());
        assert_eq!(census(&[]), Census::default());
    }

    const RET_SMALL: u64 = 30;
    const UPDATE_FRAME: u64 = 33;
    const UNDERFLOW_FRAME: u64 = 35;
    const STOP_FRAME: u64 = 36;

    /// The program's image: functions, each with a table before it, of a layout and a kind, and its
    /// code.
    fn stacks_image() -> Image {
        let tables = [
            (0, u64::from(STACK)),
            (1, RET_SMALL),
            (2, RET_SMALL),
            (1, UPDATE_FRAME),
            (1, UNDERFLOW_FRAME),
            (0, STOP_FRAME),
        ];
        let words: Vec<u64> =
            tables.iter().flat_map(|(layout, kind)| [*layout, *kind, 0]).collect();
        let functions = [
            (code(0), "stack", 0),
            (code(1), "season", 9),
            (code(2), "replicateM", 0),
            (code(3), "update", 0),
            (code(4), "underflow", 0),
            (code(5), "stop", 0),
        ];
        Image::made(LINKED, &words, &functions)
    }

    /// A piece of a stack with its top frame after `empty` words.
    fn chunk(at: u64, empty: u64, frames: &[u64]) -> Piece {
        let size = empty + frames.len() as u64;
        let top = at + (HEADER + empty) * WORD;
        let mut words = vec![loaded(0), size | 1 << 32, top];
        words.extend(std::iter::repeat_n(loaded(1), empty as usize));
        words.extend(frames);
        (at, words.iter().flat_map(|it| it.to_ne_bytes()).collect())
    }

    const OWN: u64 = 1;
    const LIBRARY: u64 = 2;

    #[test]
    fn frames_of_libraries_count_for_the_code_that_waits_for_them() {
        let below = HEAP + 0x1000;
        let newer = [
            loaded(LIBRARY),
            0,
            0,
            loaded(OWN),
            0,
            loaded(3),
            0,
            loaded(LIBRARY),
            0,
            0,
            loaded(4),
            below,
        ];
        let older = [loaded(LIBRARY), 0, 0, loaded(OWN), 0, loaded(LIBRARY), 0, 0, loaded(5)];
        let pieces = [chunk(HEAP, 4, &newer), chunk(below, 0, &older)];
        let stacks = Stacks::read(&stacks_image(), MOVED, &pieces);
        let words = (newer.len() + older.len()) as u64;
        assert_eq!(stacks.all, Frames { count: 9, updates: 1, bytes: words * WORD });
        // No code waits for the last two frames; that for the last of the first piece is on the
        // second.
        let waiting = Frames { count: 7, updates: 1, bytes: (words - 4) * WORD };
        assert_eq!(stacks.waiting, BTreeMap::from([(code(OWN), waiting)]));
    }

    #[test]
    fn what_only_looks_like_a_stack_is_none() {
        let (at, good) = chunk(HEAP, 0, &[loaded(OWN), 0, loaded(5)]);
        let stacks = |bytes: Vec<u8>| Stacks::read(&stacks_image(), MOVED, &[(at, bytes)]);
        assert_eq!(stacks(good.clone()).all.count, 2);
        let mut elsewhere = good.clone();
        elsewhere[16..24].copy_from_slice(&(HEAP - WORD).to_ne_bytes());
        assert_eq!(stacks(elsewhere), Stacks::default());
        assert_eq!(stacks(good[..16].to_vec()), Stacks::default());
        let no_frame = chunk(HEAP, 0, &[loaded(0), 0]).1;
        assert_eq!(stacks(no_frame), Stacks::default());
    }
}
