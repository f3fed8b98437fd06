//! The start of a program's stack is read correctly from outside.

use measure::{Missing, Stdout};

use crate::support::{program, run, script};

pub(crate) fn where_the_stack_begins_is_what_the_program_itself_sees() {
    let mut task =
        script("awk '{ sub(/.*[)] /, \"\"); print $26 }' /proc/$$/stat; sleep 0.5; exit 0");
    task.command.stdout = Stdout::Discard;
    assert_eq!(run(&task).stack_start, Err(Missing::NotRequested));
    task.read.stack_start = true;
    for padding in [0, 100, 1000] {
        task.environment_padding_bytes = padding;
        let run = run(&task);
        let seen = String::from_utf8_lossy(&run.stdout_tail).trim().to_owned();
        if seen == "0" {
            println!("not checked: this kernel does not say where a stack begins");
            return;
        }
        let read = run.stack_start.expect("it ran for half a second");
        assert_eq!(read.0.to_string(), seen);
    }
}

pub(crate) fn a_program_that_ends_at_once_has_no_stack_but_a_reason() {
    let mut task = program(&["true"]);
    task.read.stack_start = true;
    let starts: Vec<_> = (0..20).map(|_| run(&task).stack_start).collect();
    assert!(starts.iter().all(|start| match start {
        Ok(address) => address.0 > 0,
        Err(missing) => *missing == Missing::StackUnseen,
    }));
}
