//! Waiting on descriptors, making pipes, and sending a descriptor to another process.
#![expect(
    unsafe_code,
    reason = "std has no poll, no event descriptor, no SCM_RIGHTS and no posix_fadvise"
)]

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::check;

/// A descriptor to wait for, with the result of the last wait.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Watch(libc::pollfd);

impl Watch {
    /// Waits until it can be read.
    pub(crate) fn readable(fd: RawFd) -> Self {
        Self(libc::pollfd { fd, events: libc::POLLIN, revents: 0 })
    }

    /// Waits until it can be written.
    pub(crate) fn writable(fd: RawFd) -> Self {
        Self(libc::pollfd { fd, events: libc::POLLOUT, revents: 0 })
    }

    /// Never ready: a placeholder.
    pub(crate) fn nothing() -> Self {
        // poll(2): negative descriptors are ignored.
        Self(libc::pollfd { fd: -1, events: 0, revents: 0 })
    }

    /// True if the last wait found it ready, closed or broken.
    pub(crate) fn is_ready(&self) -> bool {
        self.0.revents != 0
    }
}

/// Drops the cached pages of a file that are neither mapped nor unwritten.
pub(crate) fn forget_pages(file: RawFd) -> io::Result<()> {
    advise(file, libc::POSIX_FADV_DONTNEED)
}

/// Switches off read-ahead for this descriptor.
pub(crate) fn read_nothing_ahead(file: RawFd) -> io::Result<()> {
    advise(file, libc::POSIX_FADV_RANDOM)
}

fn advise(file: RawFd, advice: libc::c_int) -> io::Result<()> {
    // SAFETY: posix_fadvise(2) takes numbers only; a length of 0 means to the end of the file.
    match unsafe { libc::posix_fadvise(file, 0, 0, advice) } {
        0 => Ok(()),
        // It returns the error number instead of setting `errno`.
        number => Err(io::Error::from_raw_os_error(number)),
    }
}

/// Waits until one of `watches` is ready, without limit if `timeout` is `None`. A signal or a
/// timeout is a success with nothing ready.
pub(crate) fn poll(watches: &mut [Watch], timeout: Option<Duration>) -> io::Result<()> {
    let time = timeout.map(|timeout| libc::timespec {
        tv_sec: timeout.as_secs().try_into().unwrap_or(i32::MAX.into()),
        tv_nsec: timeout.subsec_nanos().into(),
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: `Watch` is a transparent pollfd; ppoll(2) reads and writes `len` of them,
    // and reads the timespec unless the pointer is null.
    let answer = unsafe {
        libc::ppoll(
            watches.as_mut_ptr().cast::<libc::pollfd>(),
            watches.len() as libc::nfds_t,
            time,
            std::ptr::null(),
        )
    };
    match check(answer) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            watches.iter_mut().for_each(|watch| watch.0.revents = 0);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Takes a shared lock on a range of bytes, possibly beyond the end of the file, until the file is
/// closed.
pub(crate) fn lock_bytes(file: &impl AsRawFd, start: u64, count: u64) -> io::Result<()> {
    set_lock(file, bytes(libc::F_RDLCK, start, count)?)
}

/// Releases the lock on a range of bytes, for all users of the same open file.
pub(crate) fn unlock_bytes(file: &impl AsRawFd, start: u64, count: u64) -> io::Result<()> {
    set_lock(file, bytes(libc::F_UNLCK, start, count)?)
}

fn set_lock(file: &impl AsRawFd, mut bytes: libc::flock) -> io::Result<()> {
    // SAFETY: fcntl(2) with F_OFD_SETLK reads one flock, to which the pointer is valid.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw mut bytes) })?;
    Ok(())
}

/// The number of bytes in another process's lock that begins before `end`; `None` if there is no
/// such lock. With several locks it is any of them.
pub(crate) fn locked_before(file: &impl AsRawFd, end: u64) -> io::Result<Option<u64>> {
    let mut bytes = bytes(libc::F_WRLCK, 0, end)?;
    // SAFETY: fcntl(2) with F_OFD_GETLK reads and writes one flock, to which the pointer is valid.
    check(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut bytes) })?;
    let is_free = i32::from(bytes.l_type) == libc::F_UNLCK;
    Ok((!is_free).then_some(bytes.l_len.unsigned_abs()))
}

/// A range of bytes, counted from the beginning of a file.
fn bytes(kind: libc::c_int, start: u64, count: u64) -> io::Result<libc::flock> {
    let offset = |bytes: u64| {
        libc::off_t::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
    };
    Ok(libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: offset(start)?,
        l_len: offset(count)?,
        // Required by fcntl(2) for locks of open files.
        l_pid: 0,
    })
}

/// A pipe (reading end, writing end); reading never blocks, and neither end
/// survives an exec.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = blocking_pipe()?;
    set_nonblocking(&reader)?;
    Ok((reader, writer))
}

/// A pipe whose reader waits until something is written or all writers are gone. Neither end
/// survives an exec.
pub(crate) fn blocking_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: pipe2(2) writes two descriptors, for which the array has room.
    check(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: pipe2(2) succeeded, so both are open and nobody else owns them.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Creates a named pipe that only this user may open.
pub(crate) fn make_named_pipe(path: &CStr) -> io::Result<()> {
    // SAFETY: mkfifo(3) reads the string up to its zero byte.
    check(unsafe { libc::mkfifo(path.as_ptr(), 0o600) })?;
    Ok(())
}

/// Requests that a pipe hold this many bytes before a writer has to wait.
pub(crate) fn widen_pipe(pipe: &impl AsRawFd, bytes: libc::c_int) -> io::Result<()> {
    // SAFETY: fcntl(2) with F_SETPIPE_SZ takes an int and touches no memory of ours.
    check(unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) })?;
    Ok(())
}

/// Makes reads and writes return `WouldBlock` instead of waiting.
pub(crate) fn set_nonblocking(fd: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: fcntl(2) with F_SETFL takes an int and touches no memory of ours.
    check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) })?;
    Ok(())
}

/// A counter that becomes readable when it is written to.
pub(crate) fn event_counter() -> io::Result<OwnedFd> {
    // SAFETY: eventfd(2) takes two numbers and returns a new descriptor.
    let fd = check(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) })?;
    // SAFETY: eventfd(2) succeeded, so the descriptor is open and ours.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Closes every descriptor from 3 up except those in `keep`.
///
/// Nothing in this process may use a closed one again, so only a process that has just been forked
/// may call this.
pub(crate) fn close_all_but(keep: &[RawFd]) {
    let mut keep: Vec<RawFd> = keep.to_vec();
    keep.sort_unstable();
    let mut from: RawFd = 3;
    for fd in keep.into_iter().chain([RawFd::MAX]) {
        if fd > from {
            // SAFETY: close_range(2) touches no memory. The caller has promised that
            // nobody uses these descriptors; their owners were left behind in the parent.
            unsafe {
                libc::syscall(
                    libc::SYS_close_range,
                    from as libc::c_uint,
                    (fd - 1) as libc::c_uint,
                    0,
                )
            };
        }
        from = from.max(fd.saturating_add(1));
    }
}

/// Space for one descriptor in a control message, aligned as required by cmsg(3).
#[repr(C, align(8))]
struct Control([u8; 64]);

/// Sends `bytes` with a descriptor attached to the first of them; returns the number of bytes sent.
pub(crate) fn send_with_descriptor(
    socket: &UnixStream,
    bytes: &[u8],
    fd: BorrowedFd<'_>,
) -> io::Result<usize> {
    let mut control = Control([0; 64]);
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // SAFETY: an all-zero msghdr is valid (null pointers, zero lengths). CMSG_SPACE of one
    // descriptor is 24 bytes, below the 64 of `control`, so CMSG_FIRSTHDR is inside it and
    // CMSG_DATA has room for the descriptor; sendmsg(2) only reads.
    let sent = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(4) as _;
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(4) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(fd.as_raw_fd());
        libc::sendmsg(socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent.cast_unsigned()) }
}

/// Receives into `buffer`; returns the number of bytes (0 at the end of the stream) and a
/// descriptor, if one was attached.
pub(crate) fn receive_with_descriptor(
    socket: &UnixStream,
    buffer: &mut [u8],
) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut control = Control([0; 64]);
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: an all-zero msghdr is valid. recvmsg(2) writes at most `iov_len` bytes to the buffer
    // and `msg_controllen` to `control`, and sets `msg_controllen` to the valid length, which
    // CMSG_FIRSTHDR checks. A descriptor it hands over is new, open and ours.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.0.as_mut_ptr().cast();
        message.msg_controllen = libc::CMSG_SPACE(4) as _;
        let got = libc::recvmsg(socket.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC);
        if got < 0 {
            return Err(io::Error::last_os_error());
        }
        let header = libc::CMSG_FIRSTHDR(&message);
        let carries = !header.is_null()
            && (*header).cmsg_level == libc::SOL_SOCKET
            && (*header).cmsg_type == libc::SCM_RIGHTS;
        let fd = carries.then(|| {
            OwnedFd::from_raw_fd(libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned())
        });
        Ok((got.cast_unsigned(), fd))
    }
}
