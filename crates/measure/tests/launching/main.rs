//! The launcher with real processes.
//!
//! Its fork needs a process with one thread, unlike the standard test harness; so these checks run
//! here, one after the other. Arguments select the checks whose name contains one of them.
#![expect(clippy::print_stdout, reason = "this is a test harness, and prints what it found")]

mod copies;
mod endings;
mod helper;
mod journals;
mod memory;
mod stack;
mod streams;
mod support;
mod times;
mod tools;

use std::panic::catch_unwind;
use std::process::ExitCode;

/// A named check.
type Check = (&'static str, fn());

/// Names the checks after their functions.
macro_rules! checks {
    ($($module:ident :: $name:ident),* $(,)?) => {
        [$((stringify!($name), $module::$name)),*]
    };
}

/// All checks, in order.
const CHECKS: &[Check] = &checks![
    memory::a_small_program_after_a_big_one_reports_its_own_memory,
    memory::a_program_smaller_than_the_launcher_is_shown_at_the_floor,
    memory::memory_of_a_process_that_nobody_waits_for_is_seen,
    memory::tree_memory_is_a_number_or_a_reason,
    memory::energy_is_a_number_or_a_reason,
    memory::memory_over_time_is_sampled_only_on_request_and_covers_the_tree,
    memory::a_run_that_ends_at_once_has_no_memory_over_time_but_a_reason,
    stack::where_the_stack_begins_is_what_the_program_itself_sees,
    stack::a_program_that_ends_at_once_has_no_stack_but_a_reason,
    times::a_busy_program_uses_the_time_that_passes,
    times::waiting_for_a_cpu_is_seen,
    times::waiting_is_missing_where_another_process_did_the_work,
    times::waiting_is_missing_where_other_threads_did_the_work,
    times::work_that_nobody_waits_for_is_counted,
    times::counters_are_counts_or_reasons,
    endings::exit_codes_come_back,
    endings::a_signalled_child_is_no_exit_code,
    endings::a_run_that_fails_stops_the_slice_and_keeps_the_runs_before_it,
    endings::allowed_exits_let_the_slice_go_on,
    endings::what_cannot_start_says_what_stood_in_the_way,
    endings::a_timeout_ends_the_whole_process_group,
    endings::a_timeout_ends_a_program_that_ignores_sigterm,
    endings::children_left_behind_are_ended_and_counted,
    endings::children_that_ended_by_themselves_are_not_left_behind,
    endings::children_that_end_a_moment_later_are_not_left_behind,
    endings::a_command_that_discards_its_children_is_told,
    endings::abort_ends_the_run_and_keeps_finished_ones,
    endings::a_signal_wakes_the_wait_at_once,
    endings::a_launcher_that_dies_is_reported_as_such,
    endings::a_launcher_that_dies_takes_all_that_it_ran_along,
    endings::a_launcher_that_panics_ends_there_and_is_reported,
    endings::the_launcher_outlives_signals_to_everybody,
    endings::a_program_that_is_asked_to_end_with_us_did_not_fail,
    endings::a_program_that_stops_the_launcher_is_noticed,
    endings::a_launcher_that_is_stopped_again_and_again_can_be_aborted,
    copies::copies_run_at_the_same_time_and_each_has_its_own_command,
    copies::a_run_alone_has_nothing_of_copies,
    copies::the_last_copy_ends_the_run_and_latency_is_the_mean,
    copies::what_copies_use_is_added_up,
    copies::the_copy_that_fails_is_named_and_the_others_are_ended,
    copies::exits_that_are_allowed_end_no_other_copy,
    copies::a_timeout_ends_every_copy,
    copies::an_abort_ends_every_copy,
    copies::a_launcher_that_dies_takes_every_copy_along,
    copies::copies_that_cannot_start_say_what_stood_in_the_way,
    copies::what_is_of_one_process_is_missing_with_a_reason,
    copies::a_copy_starts_as_a_program_that_runs_alone,
    streams::a_flood_of_output_neither_blocks_nor_takes_memory,
    streams::the_end_of_standard_error_is_kept,
    streams::more_of_standard_error_is_kept_where_that_is_wanted,
    streams::the_end_of_discarded_output_is_kept,
    streams::one_run_does_not_see_the_output_of_another,
    streams::directory_environment_and_files_are_honoured,
    streams::padding_really_sets_the_variable,
    streams::a_program_starts_with_nothing_blocked_and_nothing_open,
    journals::every_timed_run_is_in_the_journal_and_no_other,
    journals::a_journal_that_cannot_be_written_stops_the_slice,
    journals::a_journal_is_readable_after_kill_9_of_everyone,
    journals::the_death_of_the_parent_ends_the_command,
    journals::a_panic_that_aborts_the_parent_ends_the_command_and_keeps_the_runs,
    journals::many_runs_come_back_in_order,
    tools::a_tool_is_run_for_its_output,
    tools::a_tool_that_takes_too_long_is_ended,
    tools::of_a_flood_the_end_is_kept_in_the_order_of_printing,
    tools::a_logged_tool_that_hangs_is_ended_with_all_its_children,
    tools::what_a_logged_tool_leaves_in_the_background_ends_with_it,
];

fn main() -> ExitCode {
    if helper::run_if_asked() {
        return ExitCode::SUCCESS;
    }
    let filters: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|f| name.contains(f));
    let (mut passed, mut failed) = (0, 0);
    for (name, check) in CHECKS.iter().filter(|(name, _)| wanted(name)) {
        let ok = catch_unwind(check).is_ok();
        println!("test {name} ... {}", if ok { "ok" } else { "FAILED" });
        *(if ok { &mut passed } else { &mut failed }) += 1;
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {verdict}. {passed} passed; {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}
