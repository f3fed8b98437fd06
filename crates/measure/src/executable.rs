//! The files of programs: the one behind a name, this program's own, and the cause of the kernel's
//! refusal to execute one. The error number alone blames the file when its interpreter or loader is
//! missing.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The part of a file that is examined: the linker puts the loader's name near the beginning, and
/// the kernel reads 256 bytes of a script.
const HEAD_BYTES: u64 = 8192;

/// An interpreter may itself be a script; Linux follows five levels.
const MOST_INTERPRETERS: usize = 5;

/// The type of a program header that names the loader (`PT_INTERP`, elf(5)).
const LOADER: u64 = 3;

/// The cause for a file of a format unknown to the kernel.
const NO_PROGRAM: &str =
    "it is neither a program nor a script with a first line such as `#!/bin/sh`";

/// The kernel's refusal to execute `program`, as an error that names the cause, if it can be
/// determined.
pub fn refusal(program: &Path, errno: i32) -> io::Error {
    match cause(program, errno, MOST_INTERPRETERS) {
        Some(cause) => io::Error::other(cause),
        None => io::Error::from_raw_os_error(errno),
    }
}

fn cause(program: &Path, errno: i32, most_interpreters: usize) -> Option<String> {
    let mut head = Vec::new();
    File::open(program).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let needed = Needed::read(&head);
    match (errno, &needed) {
        (libc::ENOENT, Some(needed)) if !needed.path().exists() => Some(needed.is_not_there()),
        (libc::EACCES, _)
            if is_executable(program)
                && let Some(mount) = noexec_mount(program) =>
        {
            Some(format!(
                "`{}` is mounted `noexec`, so nothing there can be executed",
                mount.display()
            ))
        }
        (libc::EACCES, Some(needed)) if !is_executable(needed.path()) => {
            Some(format!("{}, which is not executable", needed.in_words()))
        }
        (libc::ENOENT | libc::EACCES | libc::ENOEXEC, Some(Needed::Interpreter(next)))
            if most_interpreters > 0 =>
        {
            cause(next, errno, most_interpreters - 1)
        }
        (libc::ENOEXEC, _) => match (machine(&head), &needed) {
            (Some(machine), _) => Some(format!(
                "it is a program for {machine}, and this machine is {}",
                std::env::consts::ARCH
            )),
            (None, None) if head.is_empty() => Some("the file is empty".to_owned()),
            (None, None) => Some(NO_PROGRAM.to_owned()),
            (None, Some(_)) => None,
        },
        _ => None,
    }
}

/// A file's requirement for its execution.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Needed {
    /// The interpreter in the first line of a script.
    Interpreter(PathBuf),
    /// The loader of a dynamically linked program.
    Loader(PathBuf),
}

impl Needed {
    /// The requirement, from the beginning of the file.
    fn read(head: &[u8]) -> Option<Self> {
        let path = |name: &[u8]| PathBuf::from(OsStr::from_bytes(name));
        if let Some(line) = head.strip_prefix(b"#!") {
            let line = line.split(|&byte| byte == b'\n').next()?;
            let mut words = line.split(|byte| b" \t\0".contains(byte));
            return words.find(|word| !word.is_empty()).map(path).map(Self::Interpreter);
        }
        Elf::parse(head)?.loader().map(path).map(Self::Loader)
    }

    fn path(&self) -> &Path {
        match self {
            Self::Interpreter(path) | Self::Loader(path) => path,
        }
    }

    fn in_words(&self) -> String {
        // A carriage return must be visible.
        let path = self.path().to_string_lossy().escape_debug().to_string();
        match self {
            Self::Interpreter(_) => format!("its first line names the interpreter `{path}`"),
            Self::Loader(_) => format!("it was linked for the loader `{path}`"),
        }
    }

    fn is_not_there(&self) -> String {
        let ends_like_windows = self.path().as_os_str().as_bytes().ends_with(b"\r");
        let remedy = match self {
            Self::Interpreter(_) if ends_like_windows => {
                ": its lines end with CR and LF, as on Windows (`sed -i 's/\\r$//'` mends that)"
            }
            Self::Interpreter(_) => "",
            Self::Loader(_) => ": it is of another system or architecture",
        };
        format!("{}, which is not there{remedy}", self.in_words())
    }
}

/// The beginning of a program in ELF (elf(5)).
struct Elf<'a> {
    head: &'a [u8],
    is_64_bit: bool,
    is_little_endian: bool,
}

impl<'a> Elf<'a> {
    fn parse(head: &'a [u8]) -> Option<Self> {
        let [0x7f, b'E', b'L', b'F', class, data, ..] = *head else { return None };
        Some(Self { head, is_64_bit: class == 2, is_little_endian: data == 1 })
    }

    /// The number with this number of bytes at a place.
    fn number(&self, place: u64, bytes: usize) -> Option<u64> {
        let place = usize::try_from(place).ok()?;
        let bytes = self.head.get(place..place.checked_add(bytes)?)?;
        let with_next = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(match self.is_little_endian {
            true => bytes.iter().rev().fold(0, with_next),
            false => bytes.iter().fold(0, with_next),
        })
    }

    /// The machine that it was built for.
    fn machine(&self) -> Option<u64> {
        self.number(18, 2)
    }

    fn loader(&self) -> Option<&'a [u8]> {
        let [table, size, count, offset, length] =
            if self.is_64_bit { [32, 54, 56, 8, 32] } else { [28, 42, 44, 4, 16] };
        let word = if self.is_64_bit { 8 } else { 4 };
        let (table, size) = (self.number(table, word)?, self.number(size, 2)?);
        let header = |index: u64| table.checked_add(index.checked_mul(size)?);
        let mut headers = (0..self.number(count, 2)?).map_while(header);
        let header = headers.find(|&header| self.number(header, 4) == Some(LOADER))?;
        let start = usize::try_from(self.number(header.checked_add(offset)?, word)?).ok()?;
        let length = usize::try_from(self.number(header.checked_add(length)?, word)?).ok()?;
        let name = self.head.get(start..start.checked_add(length)?)?;
        name.split(|&byte| byte == 0).next()
    }
}

/// The machine that a program was built for, if it differs from this one.
fn machine(head: &[u8]) -> Option<String> {
    let number = Elf::parse(head)?.machine()?;
    let name = match number {
        3 => "x86",
        8 => "mips",
        20 => "powerpc",
        21 => "powerpc64",
        22 => "s390x",
        40 => "arm",
        62 => "x86_64",
        183 => "aarch64",
        243 => "riscv64",
        258 => "loongarch64",
        _ => return Some(format!("another machine (ELF number {number})")),
    };
    (name != std::env::consts::ARCH).then(|| name.to_owned())
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// The mount point of the file system with this file, if it is mounted `noexec`.
fn noexec_mount(path: &Path) -> Option<PathBuf> {
    let mounts = fs::read("/proc/self/mountinfo").ok()?;
    let (mount, is_noexec) = mount_of(&mounts, &path.canonicalize().ok()?)?;
    is_noexec.then_some(mount)
}

/// The mount that contains a path, from the text of `/proc/self/mountinfo` (proc_pid_mountinfo(5)),
/// and true if it is `noexec`: of several at one place the last.
fn mount_of(mounts: &[u8], path: &Path) -> Option<(PathBuf, bool)> {
    let of_line = |line: &[u8]| {
        let mut fields = line.split(|&byte| byte == b' ').skip(4);
        let (place, options) = (unescaped(fields.next()?), fields.next()?);
        let is_noexec = options.split(|&byte| byte == b',').any(|option| option == b"noexec");
        path.starts_with(&place).then_some((place, is_noexec))
    };
    let lines = mounts.split(|&byte| byte == b'\n').filter_map(of_line);
    lines.max_by_key(|(place, _)| place.components().count())
}

/// A path with blanks, tabs, newlines and backslashes decoded from octal numbers.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [byte, after @ ..] = rest {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let octal = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match octal.filter(|_| *byte == b'\\') {
            Some(octal) => {
                path.push(octal);
                rest = &after[3..];
            }
            None => {
                path.push(*byte);
                rest = after;
            }
        }
    }
    PathBuf::from(OsStr::from_bytes(&path))
}

/// The reason that a program cannot be started.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum StartError {
    #[error("cannot find `{}` in PATH", name.display())]
    NotInPath { name: OsString },
    #[error("cannot find `{}`", path.display())]
    NotFound { path: PathBuf, source: io::Error },
    #[error("`{}` is a directory", path.display())]
    IsDirectory { path: PathBuf },
    #[error("`{}` is not executable", path.display())]
    NotExecutable { path: PathBuf },
}

/// The absolute path of the file that a shell in `cwd` (by default the current directory) would run
/// for `name`, given `path_env` as its `PATH`.
pub fn resolve_program(
    name: &OsStr,
    cwd: Option<&Path>,
    path_env: Option<&OsStr>,
) -> Result<PathBuf, StartError> {
    let here = cwd.unwrap_or(Path::new("."));
    if name.as_bytes().contains(&b'/') {
        return check(here.join(name));
    }
    let mut nearly = None;
    let not_found = || StartError::NotInPath { name: name.to_owned() };
    if name.is_empty() {
        return Err(not_found());
    }
    for directory in std::env::split_paths(path_env.unwrap_or_default()) {
        // An empty entry means the current directory (POSIX, "PATH").
        match check(here.join(directory).join(name)) {
            Ok(program) => return Ok(program),
            Err(StartError::NotFound { .. }) => {}
            Err(other) => nearly = nearly.or(Some(other)),
        }
    }
    Err(nearly.unwrap_or_else(not_found))
}

fn check(path: PathBuf) -> Result<PathBuf, StartError> {
    let path = std::path::absolute(&path).unwrap_or(path);
    match fs::metadata(&path) {
        Err(source) => Err(StartError::NotFound { path, source }),
        Ok(file) if file.is_dir() => Err(StartError::IsDirectory { path }),
        // The kernel decides at the start if this user may execute it.
        Ok(file) if file.permissions().mode() & 0o111 == 0 => {
            Err(StartError::NotExecutable { path })
        }
        Ok(_) => Ok(path),
    }
}

/// The file of this program; a copy in `folder` if it has been replaced since the program started.
pub fn own_program(folder: &Path) -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    if own.is_file() {
        return Ok(own);
    }
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!("brisk.{}", std::process::id()));
    fs::copy("/proc/self/exe", &beside)?;
    let copy = folder.join("brisk");
    fs::rename(beside, &copy)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::Folder;

    fn interpreter(name: &str) -> Option<Needed> {
        Some(Needed::Interpreter(name.into()))
    }

    #[test]
    fn the_interpreter_is_the_first_word_of_a_script_and_what_ends_it_no_blank() {
        assert_eq!(Needed::read(b"#!/bin/sh\necho\n"), interpreter("/bin/sh"));
        assert_eq!(Needed::read(b"#! \t/usr/bin/env python3\n"), interpreter("/usr/bin/env"));
        assert_eq!(Needed::read(b"#!/bin/sh\r\necho\r\n"), interpreter("/bin/sh\r"));
        assert_eq!(Needed::read(b"#!/bin/sh"), interpreter("/bin/sh"));
        assert_eq!(Needed::read(b"#!\n"), None);
        assert_eq!(Needed::read(b"echo\n"), None);
    }

    /// A file with one program header, for either byte order and width.
    fn elf(is_64_bit: bool, is_little_endian: bool, machine: u16, loader: &str) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        let mut put = |place: usize, size: usize, number: u64| {
            let number = number.to_be_bytes();
            let mut part = number[8 - size..].to_vec();
            if is_little_endian {
                part.reverse();
            }
            bytes[place..place + size].copy_from_slice(&part);
        };
        let word = if is_64_bit { 8 } else { 4 };
        let [table, size, count, offset, length] =
            if is_64_bit { [32, 54, 56, 8, 32] } else { [28, 42, 44, 4, 16] };
        put(18, 2, machine.into());
        put(table, word, 64);
        put(size, 2, 56);
        put(count, 2, 1);
        put(64, 4, LOADER);
        put(64 + offset, word, 128);
        put(64 + length, word, loader.len() as u64 + 1);
        bytes[..6].copy_from_slice(&[
            0x7f,
            b'E',
            b'L',
            b'F',
            1 + u8::from(is_64_bit),
            2 - u8::from(is_little_endian),
        ]);
        bytes[128..128 + loader.len()].copy_from_slice(loader.as_bytes());
        bytes
    }

    #[test]
    fn the_loader_and_the_machine_of_a_program_are_found() {
        for (is_64_bit, is_little_endian) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            let file = elf(is_64_bit, is_little_endian, 22, "/lib/ld.so.9");
            assert_eq!(Needed::read(&file), Some(Needed::Loader("/lib/ld.so.9".into())));
            assert_eq!(machine(&file).as_deref(), Some("s390x"));
            // A truncated file must not panic.
            (0..file.len()).for_each(|length| drop(Needed::read(&file[..length])));
        }
        let own = fs::read(std::env::current_exe().expect("Linux knows")).expect("readable");
        assert_eq!(machine(&own), None);
    }

    #[test]
    fn the_mount_of_a_path_is_the_innermost_and_the_last() {
        let mounts = b"1 0 8:1 / / rw,noexec - ext4 a rw\n2 1 0:2 / /a\\040b rw - tmpfs t rw\n\
                       3 2 0:3 / /a\\040b rw,nosuid,noexec - tmpfs t rw\n4 1 0:4 / /c rw - tmpfs t rw\n";
        assert_eq!(mount_of(mounts, Path::new("/a b/x")), Some(("/a b".into(), true)));
        assert_eq!(mount_of(mounts, Path::new("/c/x")), Some(("/c".into(), false)));
        assert_eq!(mount_of(mounts, Path::new("/cd/x")), Some(("/".into(), true)));
    }

    #[test]
    fn what_is_at_fault_is_named() {
        let folder = Folder::new("refusal", &[]);
        let refused = |name: &str, bytes: &[u8], errno| {
            let path = folder.join(name);
            fs::write(&path, bytes).expect("writable");
            refusal(&path, errno).to_string()
        };
        let windows = refused("windows", b"#!/bin/sh\r\n", libc::ENOENT);
        assert!(windows.contains("`/bin/sh\\r`, which is not there: its lines end"), "{windows}");
        let through = format!("#!{}\n", folder.join("windows").display());
        assert_eq!(refused("through", through.as_bytes(), libc::ENOENT), windows);
        let loader = refused("loader", &elf(true, true, 62, "/no/ld.so"), libc::ENOENT);
        assert!(loader.contains("the loader `/no/ld.so`, which is not there"), "{loader}");
        let text = refused("text", b"echo hello\n", libc::ENOEXEC);
        assert!(text.contains("`#!/bin/sh`"), "{text}");
        assert_eq!(refused("empty", b"", libc::ENOEXEC), "the file is empty");
        let other = refused("other", &elf(true, true, 8, "/bin/sh"), libc::ENOEXEC);
        assert!(other.starts_with("it is a program for mips, and this machine is "), "{other}");
        let closed = format!("#!{}\n", folder.join("text").display());
        let closed = refused("closed", closed.as_bytes(), libc::EACCES);
        assert!(closed.ends_with("text`, which is not executable"), "{closed}");
        let busy = refused("busy", b"#!/bin/sh\n", libc::ETXTBSY);
        assert_eq!(busy, io::Error::from_raw_os_error(libc::ETXTBSY).to_string());
    }
}
