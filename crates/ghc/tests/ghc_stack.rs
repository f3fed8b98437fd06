//! Stacks made up word by word, from the layouts in GHC's sources
//! (`rts/include/rts/storage/InfoTables.h`, `Closures.h` and `ClosureTypes.h`).

use std::collections::HashMap;

use ghc::samples::{Frame, Role, walk};

const RET_SMALL: u64 = 30;
const RET_BIG: u64 = 31;
const RET_FUN: u64 = 32;
const UPDATE_FRAME: u64 = 33;
const UNDERFLOW_FRAME: u64 = 35;
const STOP_FRAME: u64 = 36;
const THUNK: u64 = 15;
const BLACKHOLE: u64 = 38;

/// The address of the top of the stack.
const TOP: u64 = 0x7000;

/// A program's memory.
#[derive(Default)]
struct Made(HashMap<u64, u64>);

impl Made {
    /// Puts a table before some code.
    fn table(mut self, code: u64, kind: u64, layout: u64) -> Self {
        // The upper half of the word is the reference to static objects.
        self.0.insert(code - 8, kind | 0xdead_beef << 32);
        self.0.insert(code - 16, layout);
        self
    }

    /// Puts words side by side.
    fn words(mut self, address: u64, words: &[u64]) -> Self {
        self.0.extend((address..).step_by(8).zip(words.iter().copied()));
        self
    }

    fn frames(&self, top: u64, most: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut memory = |address: u64| self.0.get(&address).copied();
        let count = walk(top, most, &mut memory, &mut |frame| {
            frames.push(frame);
            true
        });
        assert_eq!(count, frames.len());
        frames
    }
}

/// A continuation frame, this number of words below the top.
fn frame(words: u64, code: u64) -> Frame {
    Frame { at: TOP + 8 * words, code, role: Role::Continuation, thunk: None }
}

#[test]
fn frames_follow_each_other_as_their_tables_say() {
    // The first frame has two live words, one of which is not a pointer (bits above the size).
    let made = Made::default()
        .table(0x1000, RET_SMALL, 2 | 0b10 << 6)
        .table(0x2000, RET_SMALL, 0)
        .table(0x3000, STOP_FRAME, 0)
        .words(TOP, &[0x1000, 11, 12, 0x2000, 0x3000, 99]);
    assert_eq!(made.frames(TOP, 10), [frame(0, 0x1000), frame(3, 0x2000), frame(4, 0x3000)]);
    assert_eq!(made.frames(TOP, 2), [frame(0, 0x1000), frame(3, 0x2000)], "no more than asked for");
}

#[test]
fn a_walk_ends_when_enough_was_seen() {
    let made =
        Made::default().table(0x1000, RET_SMALL, 0).words(TOP, &[0x1000, 0x1000, 0x1000, 0x1000]);
    let mut memory = |address: u64| made.0.get(&address).copied();
    let mut left = 2;
    let count = walk(TOP, 10, &mut memory, &mut |_| {
        left -= 1;
        left > 0
    });
    assert_eq!(count, 2);
}

#[test]
fn an_update_frame_knows_the_code_of_its_thunk_until_that_is_marked() {
    let made = Made::default()
        .table(0x1000, UPDATE_FRAME, 1)
        .table(0x2000, STOP_FRAME, 0)
        .table(0x3000, THUNK, 0)
        .table(0x4000, BLACKHOLE, 0)
        .words(0x9000, &[0x3000])
        .words(0xa000, &[0x4000])
        .words(TOP, &[0x1000, 0x9000, 0x1000, 0xa000, 0x1000, 0xb000, 0x2000]);
    let of = |words, thunk| Frame { role: Role::Update, thunk, ..frame(words, 0x1000) };
    // The last one's thunk is in unmapped memory.
    let expected = [of(0, Some(0x3000)), of(2, None), of(4, None), frame(6, 0x2000)];
    assert_eq!(made.frames(TOP, 10), expected);
}

#[test]
fn large_frames_have_their_size_elsewhere() {
    // The number of words lies 0x40 before the code; that of the other frame is on the stack.
    let distance = u64::from((-0x40_i32).cast_unsigned());
    let mut words = vec![0x1000];
    words.extend([7; 70]);
    words.extend([0x2000, 2, 0x5555, 7, 7, 0x3000]);
    let made = Made::default()
        .table(0x1000, RET_BIG, distance)
        .words(0x1000 - 0x40, &[70])
        .table(0x2000, RET_FUN, 0)
        .table(0x3000, STOP_FRAME, 0)
        .words(TOP, &words);
    assert_eq!(made.frames(TOP, 10), [frame(0, 0x1000), frame(71, 0x2000), frame(76, 0x3000)]);
}

#[test]
fn a_stack_goes_on_in_its_next_piece() {
    // A stack chunk: its header, its size and flags, its stack pointer.
    let made = Made::default()
        .table(0x1000, UNDERFLOW_FRAME, 1)
        .table(0x2000, STOP_FRAME, 0)
        .words(TOP, &[0x1000, 0xc000])
        .words(0xc000, &[0x8888, 1024, 0xc800])
        .words(0xc800, &[0x2000]);
    let last = Frame { role: Role::Underflow(0xc000), ..frame(0, 0x1000) };
    assert_eq!(made.frames(TOP, 10), [last, Frame { at: 0xc800, ..frame(0, 0x2000) }]);
}

#[test]
fn what_is_no_stack_has_no_frames() {
    let made = Made::default()
        .table(0x1000, THUNK, 0)
        .words(TOP, &[0x1000, 5, u64::MAX, 0x6000])
        .words(0x5ff8, &[u64::MAX]);
    for top in [TOP, TOP + 1, TOP + 8, TOP + 16, TOP + 24, 0, u64::MAX] {
        assert_eq!(made.frames(top, 10), [], "{top:#x}");
    }
}

#[test]
fn sizes_that_lead_nowhere_end_the_walk() {
    let made = Made::default()
        .table(0x1000, RET_FUN, 0)
        .table(0x2000, RET_BIG, 0x10)
        .words(0x2010, &[u64::MAX - 3])
        .words(TOP, &[0x1000, u64::MAX - 5])
        .words(0x8000, &[0x2000]);
    assert_eq!(made.frames(TOP, 10), [frame(0, 0x1000)]);
    assert_eq!(made.frames(0x8000, 10), [Frame { at: 0x8000, ..frame(0, 0x2000) }]);
}
