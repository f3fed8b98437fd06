//! The stack of a program compiled by GHC, walked from outside.
//!
//! GHC's code does not use the C stack. Its stack grows towards lower addresses, and begins at the
//! address in a register. Each frame begins with the address of the code that continues when the
//! frames above have a result, and just before that code a table gives the size of the frame
//! (`rts/include/rts/storage/InfoTables.h` and `stack_frame_sizeW` of `ClosureMacros.h` in GHC's
//! sources; programs built with tables next to code, as all ordinary ones are):
//!
//! ```text
//! code - 16   layout: its lowest six bits are the number of words after the frame's first
//! code -  8   kind of the closure or frame, 32 bits
//! code -  4   32 bits that do not matter here
//! ```
//!
//! Calls in tail position leave no frame. Their only trace is the frame that will update a thunk
//! with its value: it knows the thunk, and the thunk knows its code, until a collection or a switch
//! of threads marks it as being evaluated (`BLACKHOLE`).

/// Reads a word of the program's memory; `None` if it is not mapped.
pub type Memory<'a> = dyn FnMut(u64) -> Option<u64> + 'a;

/// One frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Its address.
    pub at: u64,
    /// The code that continues with the result.
    pub code: u64,
    /// Its purpose.
    pub role: Role,
    /// The code of the thunk that the frame is to update, if still known.
    pub thunk: Option<u64>,
}

/// The purpose of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Continues, or handles exceptions.
    Continuation,
    /// Updates a thunk with its value.
    Update,
    /// Ends a piece of the stack; the next piece is at this address.
    Underflow(u64),
}

/// The DWARF number of the register that points to the top frame: `rbp` on x86-64, `x20` on AArch64
/// (`MachRegs.h` in GHC's sources).
#[must_use]
pub const fn stack_register() -> usize {
    if cfg!(target_arch = "aarch64") { 20 } else { 6 }
}

/// The bytes of a word.
pub(super) const WORD: u64 = 8;

/// Kinds of closures (`rts/include/rts/storage/ClosureTypes.h`, the same from GHC 8.8 to 9.12).
mod kind {
    pub(super) const THUNKS: std::ops::RangeInclusive<u32> = 15..=22;
    pub(super) const RET_BCO: u32 = 29;
    pub(super) const RET_SMALL: u32 = 30;
    pub(super) const RET_BIG: u32 = 31;
    pub(super) const RET_FUN: u32 = 32;
    pub(super) const UPDATE_FRAME: u32 = 33;
    pub(super) const CATCH_FRAME: u32 = 34;
    pub(super) const UNDERFLOW_FRAME: u32 = 35;
    pub(super) const STOP_FRAME: u32 = 36;
    pub(super) const ATOMICALLY_FRAME: u32 = 55;
    pub(super) const CATCH_STM_FRAME: u32 = 57;
}

/// Visits the frames of a stack from its top, at most `most`, as long as `visit` returns true.
/// Returns their number; 0 if there is no stack at this address.
pub fn walk(
    top: u64,
    most: usize,
    memory: &mut Memory<'_>,
    visit: &mut dyn FnMut(Frame) -> bool,
) -> usize {
    let mut at = top;
    for count in 0..most {
        if !at.is_multiple_of(WORD) {
            return count;
        }
        let Some((code, kind, layout)) = table(at, memory) else { return count };
        let (role, thunk) = match kind {
            kind::UPDATE_FRAME => (Role::Update, thunk(at, memory)),
            kind::UNDERFLOW_FRAME => {
                let next = at.checked_add(WORD).and_then(&mut *memory);
                (Role::Underflow(next.unwrap_or(0)), None)
            }
            _ => (Role::Continuation, None),
        };
        if !visit(Frame { at, code, role, thunk }) {
            return count + 1;
        }
        let Some(next) = next(at, code, kind, layout, memory) else { return count + 1 };
        at = next;
    }
    most
}

/// The code of the frame at an address, its kind and its layout; `None` if it is not a frame.
fn table(at: u64, memory: &mut Memory<'_>) -> Option<(u64, u32, u64)> {
    let code = memory(at)?;
    let (kind, layout) = described(code, memory)?;
    let is_frame = matches!(kind,
        kind::RET_BCO..=kind::STOP_FRAME | kind::ATOMICALLY_FRAME..=kind::CATCH_STM_FRAME);
    is_frame.then_some((code, kind, layout))
}

/// The contents of the table before some code: the kind of the closure, and its layout.
fn described(code: u64, memory: &mut Memory<'_>) -> Option<(u32, u64)> {
    let kind = memory(code.checked_sub(WORD)?)? as u32;
    let layout = memory(code.checked_sub(2 * WORD)?)?;
    Some((kind, layout))
}

/// The address of the next frame.
fn next(at: u64, code: u64, kind: u32, layout: u64, memory: &mut Memory<'_>) -> Option<u64> {
    /// The lowest bits of a small layout are its size.
    const SIZE_BITS: u64 = 0x3f;
    let words = match kind {
        kind::RET_SMALL
        | kind::UPDATE_FRAME
        | kind::CATCH_FRAME
        | kind::ATOMICALLY_FRAME..=kind::CATCH_STM_FRAME => 1 + (layout & SIZE_BITS),
        // The layout is the distance from the code to the number of words, effectively of 32 bits.
        kind::RET_BIG => {
            let distance = i64::from(layout as u32 as i32);
            memory(code.checked_add_signed(distance)?)?.checked_add(1)?
        }
        // The first word, the number of the others, the function.
        kind::RET_FUN => memory(at.checked_add(WORD)?)?.checked_add(3)?,
        // The next piece, with its top after the header and the size.
        kind::UNDERFLOW_FRAME => {
            let piece = memory(at.checked_add(WORD)?)?;
            return memory(piece.checked_add(2 * WORD)?);
        }
        _ => return None,
    };
    at.checked_add(words.checked_mul(WORD)?)
}

/// The code of the thunk of an update frame.
fn thunk(frame: u64, memory: &mut Memory<'_>) -> Option<u64> {
    let thunk = memory(frame.checked_add(WORD)?)?;
    let code = memory(thunk)?;
    let (kind, _) = described(code, memory)?;
    kind::THUNKS.contains(&kind).then_some(code)
}
