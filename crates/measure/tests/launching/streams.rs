//! The input, output and inherited state of programs.

use measure::{Bytes, Outcome, PADDING_VARIABLE, Stdin, Stdout, Task};

use crate::support::{Scratch, program, run, run_all, script};

pub(crate) fn a_flood_of_output_neither_blocks_nor_takes_memory() {
    let mut stdout = script("exec head -c 1G /dev/zero");
    stdout.command.stdout = Stdout::Discard;
    let stderr = script("exec head -c 1G /dev/zero >&2");
    let slice = run_all(&[stdout, stderr, program(&["true"])]);
    assert!(slice.finished.iter().all(|run| run.outcome == Outcome::Exited(0)));
    assert_eq!(slice.finished[0].stdout_tail, [0; 8192]);
    assert_eq!(slice.finished[1].stderr_tail, [0; 8192]);
    let floor = slice.finished[2].raw.peak_rss.floor;
    // Its input is fifty times this; the kernel's counts are off by less.
    assert!(floor < Bytes(20_000_000), "the launcher has grown to {floor:?}");
}

pub(crate) fn the_end_of_standard_error_is_kept() {
    let run = run(&script("seq 100000 >&2; echo Prelude.!!: index too large >&2; exit 1"));
    assert_eq!(run.stderr_tail.len(), 8192);
    assert!(run.stderr_tail.ends_with(b"99999\n100000\nPrelude.!!: index too large\n"));
    assert_eq!(run.stdout_tail, b"");
}

pub(crate) fn more_of_standard_error_is_kept_where_that_is_wanted() {
    let mut long = script("seq 100000 >&2");
    long.stderr_kept_bytes = 1 << 20;
    let slice = run_all(&[long, script("seq 100000 >&2")]);
    let whole: String = (1..=100_000).map(|number| format!("{number}\n")).collect();
    assert!(slice.finished[0].stderr_tail == whole.as_bytes());
    assert!(slice.finished[1].stderr_tail == whole.as_bytes()[whole.len() - 8192..]);
}

pub(crate) fn the_end_of_discarded_output_is_kept() {
    let mut task = script("echo out; echo err >&2");
    task.command.stdout = Stdout::Discard;
    let run = run(&task);
    assert_eq!(
        (run.stdout_tail.as_slice(), run.stderr_tail.as_slice()),
        (&b"out\n"[..], &b"err\n"[..])
    );
}

pub(crate) fn one_run_does_not_see_the_output_of_another() {
    // The second run inherits anything that the first left in the pipe.
    let slice =
        run_all(&[script("(sleep 1000; echo late >&2) & echo one >&2"), script("echo two >&2")]);
    let tails: Vec<_> = slice.finished.iter().map(|run| run.stderr_tail.as_slice()).collect();
    assert_eq!(tails, [b"one\n", b"two\n"]);
}

pub(crate) fn directory_environment_and_files_are_honoured() {
    let scratch = Scratch::new("streams");
    let (input, printed) = (scratch.path("in"), scratch.path("out"));
    std::fs::write(&input, "from a file\n").expect("writable");
    let mut task = script("cat; pwd; echo ${A-unset} ${HOME-unset}");
    task.command.cwd = Some("/usr".into());
    task.command.env = vec![("A".into(), Some("b c".into())), ("HOME".into(), None)];
    task.command.stdin = Stdin::File(input);
    task.command.stdout = Stdout::File(printed.clone());
    // Twice: the file is read from its beginning, and emptied, every time.
    let slice = run_all(&[task.clone(), task]);
    assert_eq!(slice.finished.len(), 2);
    let text = std::fs::read_to_string(printed).expect("the program wrote it");
    assert_eq!(text, "from a file\n/usr\nb c unset\n");
}

pub(crate) fn padding_really_sets_the_variable() {
    let lengths: Vec<_> = [0, 1, 4000]
        .map(|bytes| {
            let mut task = script(&format!("echo ${{#{PADDING_VARIABLE}}}; env"));
            task.environment_padding_bytes = bytes;
            task.command.stdout = Stdout::Discard;
            let printed = run(&task).stdout_tail;
            let printed = String::from_utf8_lossy(&printed).into_owned();
            let length = printed.lines().next().expect("echo prints a line").to_owned();
            (length, printed.contains(PADDING_VARIABLE))
        })
        .into();
    let expected = [("0", false), ("1", true), ("4000", true)];
    assert_eq!(lengths, expected.map(|(length, there)| (length.to_owned(), there)));
}

pub(crate) fn a_program_starts_with_nothing_blocked_and_nothing_open() {
    let printed = |mut task: Task| {
        task.command.stdout = Stdout::Discard;
        String::from_utf8(run(&task).stdout_tail).expect("ASCII")
    };
    assert_eq!(printed(script("ls /proc/$$/fd; exit 0")), "0\n1\n2\n");
    // Its own, not those of the shell, which blocks signals while it forks.
    let signals = printed(program(&["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"]));
    let none = "0000000000000000";
    assert_eq!(signals, format!("SigBlk:\t{none}\nSigIgn:\t{none}\n"));
}
