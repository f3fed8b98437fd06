//! Stopping a thread of another process, and reading its registers and memory: ptrace(2).
#![expect(unsafe_code, reason = "std has no ptrace and no process_vm_readv")]

use std::io;

use super::check;
use super::process::{Pid, outcome_of};
use crate::task::Outcome;

/// The number of general registers read: those with the DWARF numbers 0 to 31 on this machine.
const REGISTERS: usize = 32;

/// The registers of a stopped thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// The address of the next instruction.
    pub counter: u64,
    /// The general registers by DWARF number: the stack pointer is 7 (`rsp`) on x86-64 and 31
    /// (`sp`) on AArch64. Missing registers are 0.
    pub general: [u64; REGISTERS],
}

/// An event of a traced thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// It stopped on request.
    Stopped,
    /// It is about to receive this signal.
    Signal(i32),
    /// Its whole process was stopped, as by Ctrl-Z.
    GroupStop,
    /// It has ended.
    Ended(Outcome),
}

/// The ptrace event of a requested stop, and of one of the whole group (ptrace(2)).
const EVENT_STOP: i32 = 128;

/// Begins to trace a thread without stopping it. It is killed if this process dies.
pub(crate) fn seize(thread: Pid) -> io::Result<()> {
    request(libc::PTRACE_SEIZE, thread, libc::PTRACE_O_EXITKILL as usize)
}

/// Asks a traced thread to stop.
pub(crate) fn interrupt(thread: Pid) -> io::Result<()> {
    request(libc::PTRACE_INTERRUPT, thread, 0)
}

/// Resumes a stopped thread, and delivers a signal to it unless that is 0.
pub(crate) fn resume(thread: Pid, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_CONT, thread, signal.unsigned_abs() as usize)
}

/// Leaves a thread stopped that was stopped with its process, until the process is continued.
pub(crate) fn leave_stopped(thread: Pid) -> io::Result<()> {
    request(libc::PTRACE_LISTEN, thread, 0)
}

/// glibc declares the request unsigned, musl signed.
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;
#[cfg(target_env = "musl")]
type Request = libc::c_int;

fn request(request: Request, thread: Pid, data: usize) -> io::Result<()> {
    // SAFETY: these requests take numbers and touch no memory of ours.
    let answer = unsafe { libc::ptrace(request, thread, 0_usize, data) };
    check(answer.try_into().unwrap_or(-1)).map(drop)
}

/// The event of a traced thread since the last call; `None` if there was none. With `waits`, waits
/// for one.
pub(crate) fn event(thread: Pid, waits: bool) -> io::Result<Option<Event>> {
    let mut status = 0;
    let options = libc::__WALL | if waits { 0 } else { libc::WNOHANG };
    // SAFETY: waitpid(2) writes one int.
    if check(unsafe { libc::waitpid(thread, &mut status, options) })? == 0 {
        return Ok(None);
    }
    if !libc::WIFSTOPPED(status) {
        return Ok(Some(Event::Ended(outcome_of(status))));
    }
    let signal = libc::WSTOPSIG(status);
    Ok(Some(match status >> 16 {
        EVENT_STOP if signal == libc::SIGTRAP => Event::Stopped,
        EVENT_STOP => Event::GroupStop,
        _ => Event::Signal(signal),
    }))
}

/// The registers of a stopped thread.
pub(crate) fn registers(thread: Pid) -> io::Result<Registers> {
    // SAFETY: zeros are valid in a user_regs_struct. PTRACE_GETREGSET writes at most `iov_len`
    // bytes to `iov_base`, which has that size.
    let own = unsafe {
        let mut own: libc::user_regs_struct = std::mem::zeroed();
        let mut room = libc::iovec {
            iov_base: std::ptr::from_mut(&mut own).cast(),
            iov_len: size_of::<libc::user_regs_struct>(),
        };
        let room = std::ptr::from_mut(&mut room);
        let answer = libc::ptrace(libc::PTRACE_GETREGSET, thread, libc::NT_PRSTATUS, room);
        check(answer.try_into().unwrap_or(-1))?;
        own
    };
    Ok(numbered(&own))
}

#[cfg(target_arch = "x86_64")]
fn numbered(own: &libc::user_regs_struct) -> Registers {
    let mut general = [0; REGISTERS];
    let known = [
        own.rax, own.rdx, own.rcx, own.rbx, own.rsi, own.rdi, own.rbp, own.rsp, own.r8, own.r9,
        own.r10, own.r11, own.r12, own.r13, own.r14, own.r15,
    ];
    general[..known.len()].copy_from_slice(&known);
    Registers { counter: own.rip, general }
}

#[cfg(target_arch = "aarch64")]
fn numbered(own: &libc::user_regs_struct) -> Registers {
    let mut general = [0; REGISTERS];
    general[..own.regs.len()].copy_from_slice(&own.regs);
    general[31] = own.sp;
    Registers { counter: own.pc, general }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn numbered(_own: &libc::user_regs_struct) -> Registers {
    Registers { counter: 0, general: [0; REGISTERS] }
}

/// Reads memory of another process from this address on, and returns the number of bytes that could
/// be read.
pub(crate) fn read_memory(process: Pid, address: u64, into: &mut [u8]) -> usize {
    let ours = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let Ok(address) = usize::try_from(address) else { return 0 };
    let theirs =
        libc::iovec { iov_base: std::ptr::without_provenance_mut(address), iov_len: into.len() };
    // SAFETY: process_vm_readv(2) writes at most `iov_len` bytes to `into`, which is as long. The
    // other address belongs to another process, and is checked by the kernel.
    let read = unsafe { libc::process_vm_readv(process, &ours, 1, &theirs, 1, 0) };
    read.try_into().unwrap_or(0)
}
