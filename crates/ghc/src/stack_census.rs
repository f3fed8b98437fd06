//! The stacks of a program compiled by GHC, counted from outside: the functions that wait on them.
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

use std::collections::{BTreeMap, HashMap};

use super::causes::names::Location;
use super::causes::{Program, Site};
use super::heap_census::{Heap, Piece, place_of};
use super::image::Image;
use super::instructions::Notes;
use super::stack::{Frame, Role, WORD, walk};

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
    #[must_use]
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
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.all.bytes
    }

    /// The waiting bindings.
    #[must_use]
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

    const LINKED: u64 = 0x40_0000;
    const MOVED: u64 = 0x1000;
    const HEAP: u64 = 0x42_0000_0000;

    const RET_SMALL: u64 = 30;
    const UPDATE_FRAME: u64 = 33;
    const UNDERFLOW_FRAME: u64 = 35;
    const STOP_FRAME: u64 = 36;

    /// The program's image: functions, each with a table before it, of a layout and a kind, and its
    /// code.
    fn image() -> Image {
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
        let at = |number: u64| code(number) - MOVED;
        let functions = [
            (at(0), "stack", 0),
            (at(1), "season", 9),
            (at(2), "replicateM", 0),
            (at(3), "update", 0),
            (at(4), "underflow", 0),
            (at(5), "stop", 0),
        ];
        Image::made(LINKED, &words, &functions)
    }

    fn code(number: u64) -> u64 {
        LINKED + number * 3 * WORD + 2 * WORD + MOVED
    }

    /// A piece of a stack with its top frame after `empty` words.
    fn chunk(at: u64, empty: u64, frames: &[u64]) -> Piece {
        let size = empty + frames.len() as u64;
        let top = at + (HEADER + empty) * WORD;
        let mut words = vec![code(0), size | 1 << 32, top];
        words.extend(std::iter::repeat_n(code(1), empty as usize));
        words.extend(frames);
        (at, words.iter().flat_map(|it| it.to_ne_bytes()).collect())
    }

    const OWN: u64 = 1;
    const LIBRARY: u64 = 2;

    #[test]
    fn frames_of_libraries_count_for_the_code_that_waits_for_them() {
        let below = HEAP + 0x1000;
        let newer =
            [code(LIBRARY), 0, 0, code(OWN), 0, code(3), 0, code(LIBRARY), 0, 0, code(4), below];
        let older = [code(LIBRARY), 0, 0, code(OWN), 0, code(LIBRARY), 0, 0, code(5)];
        let pieces = [chunk(HEAP, 4, &newer), chunk(below, 0, &older)];
        let stacks = Stacks::read(&image(), MOVED, &pieces);
        let words = (newer.len() + older.len()) as u64;
        assert_eq!(stacks.all, Frames { count: 9, updates: 1, bytes: words * WORD });
        // No code waits for the last two frames; that for the last of the first piece is on the
        // second.
        let waiting = Frames { count: 7, updates: 1, bytes: (words - 4) * WORD };
        assert_eq!(stacks.waiting, BTreeMap::from([(code(OWN) - MOVED, waiting)]));
    }

    #[test]
    fn what_only_looks_like_a_stack_is_none() {
        let (at, good) = chunk(HEAP, 0, &[code(OWN), 0, code(5)]);
        let stacks = |bytes: Vec<u8>| Stacks::read(&image(), MOVED, &[(at, bytes)]);
        assert_eq!(stacks(good.clone()).all.count, 2);
        let mut elsewhere = good.clone();
        elsewhere[16..24].copy_from_slice(&(HEAP - WORD).to_ne_bytes());
        assert_eq!(stacks(elsewhere), Stacks::default());
        assert_eq!(stacks(good[..16].to_vec()), Stacks::default());
        let no_frame = chunk(HEAP, 0, &[code(0), 0]).1;
        assert_eq!(stacks(no_frame), Stacks::default());
    }
}
