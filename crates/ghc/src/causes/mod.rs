//! The causes of a GHC-compiled program's costs, found in its Core.
//!
//! A [`Cause`] is a pattern that is known to cost time or memory, such as a function that is called
//! with more arguments than it takes at once. It examines a [`Program`]: the Core of its modules,
//! GHC's output from compiling them, and the counters of a run. Its results are [`Finding`]s.
//! (GHC's own word *rule* means something else, its rewrite rules.)
//!
//! | file | contents |
//! |---|---|
//! | `program` | the input of a cause |
//! | `cause` | causes, and the data that they need |
//! | `finding` | the output of a cause |
//! | `costs` | the costs of the bindings of a run, from its ticky counters |
//! | `held` | a finding's part of the heap |
//! | `doubts` | inputs that do not belong together, or could not be read |
//! | `examine` | all causes applied to one program, ranked by cost |
//! | `places` | findings by place |
//! | `names` | names of Core as names of the source |
//! | `declarations` | the names declared and defined on each line of the text |
//! | `said` | GHC's reports while it compiles: rules fired, functions inlined |
//! | `bound`, `loops`, `tails` | values of names; recursive functions; results of functions |
//! | `continuation` | parameters that are continuations |
//! | `dictionaries`, `exports`, `kept` | class constraints; export lists; failed inlining |
//! | `boxes`, `thunk_makers` | numbers in boxes; the code that fills the heap |
//! | `prepared`, `inputs` | code as it ran; the number of its different inputs |
//! | `library_functions` | known library functions |
//! | one file for each cause | |
//!
//! To add a cause: a file with a `pub static`, and a line in [`ALL`].

pub mod cause;
pub mod costs;
pub mod doubts;
pub mod examine;
pub mod names;
pub mod program;
pub mod said;

mod append_to_accumulator;
pub(super) mod bound;
mod boxed_argument;
mod boxed_elements;
mod boxed_reference;
mod closure_chain;
pub(super) mod continuation;
mod copy_on_write;
mod deep_stack;
pub(super) mod dictionaries;
mod existential_dictionary;
mod function_argument;
mod inputs;
mod integer_arithmetic;
mod kept;
mod kept_slices;
mod lambda_under_case;
mod lazy_accumulator;
mod library_table;
mod library_use;
mod list_kept;
mod literal_list;
mod lock_frame;
mod lost_specialise;
mod made_anew;
mod missing_optimisation;
mod over_saturated_calls;
mod overloaded_constant;
mod overloaded_loop;
mod owned;
mod parsed_again;
mod prepared;
mod rebuild_after_recursion;
mod repeated;
mod sort_keys;
mod spelled;
mod thunk_leak;
mod tree_substitution;
mod unknown_call;
mod visible_used_once;

pub use cause::{Cause, Look, Need, Paid};
pub use deep_stack::is_deep;
pub use examine::{Basis, Change, Evidence, Finding, Only, Remedy};
pub use examine::{Examination, examine};
pub use program::{Module, Program, Site};
pub use thunk_leak::is_leaking;

/// All known causes. If nothing was measured, findings are reported in this order.
pub static ALL: [&Cause; 30] = [
    &missing_optimisation::CAUSE,
    &append_to_accumulator::CAUSE,
    &sort_keys::CAUSE,
    &library_use::CAUSE,
    &parsed_again::CAUSE,
    &made_anew::CAUSE,
    &copy_on_write::CAUSE,
    &lost_specialise::CAUSE,
    &overloaded_constant::CAUSE,
    &overloaded_loop::CAUSE,
    &rebuild_after_recursion::CAUSE,
    &tree_substitution::CAUSE,
    &closure_chain::CAUSE,
    &thunk_leak::CAUSE,
    &list_kept::CAUSE,
    &deep_stack::CAUSE,
    &kept_slices::CAUSE,
    &lazy_accumulator::CAUSE,
    &visible_used_once::CAUSE,
    &lambda_under_case::CAUSE,
    &function_argument::CAUSE,
    &over_saturated_calls::CAUSE,
    &literal_list::CAUSE,
    &integer_arithmetic::CAUSE,
    &boxed_argument::CAUSE,
    &boxed_elements::CAUSE,
    &boxed_reference::CAUSE,
    &lock_frame::CAUSE,
    &existential_dictionary::CAUSE,
    &unknown_call::CAUSE,
];
