//! The causes of a GHC-compiled program's costs, found in its Core.
//!
//! A [`Cause`] is a pattern that is known to cost time or memory, such as a function that is called
//! with more arguments than it takes at once. It examines a [`Program`]: the Core of its modules,
//! GHC's output from compiling them, and the counters of a run. Its results are [`Finding`]s.
//! (GHC's own word *rule* means something else, its rewrite rules.)
//!
//! To add a cause: a `pub(super) static` in the file of those that look for the same kind of cost, or
//! in a new one, and a line in [`ALL`].

pub mod cause;
pub mod costs;
pub mod doubts;
pub mod examine;
pub mod names;
pub mod program;
pub mod source;

pub(super) mod bound;
mod kept_slices;
mod late_arguments;
mod library_table;
mod library_use;
mod list_kept;
mod made_anew;
mod not_inlined;
mod numbers;
pub(super) mod overloading;
mod parsed_again;
mod prepared;
mod put_off;
mod sort_keys;
mod whole_structure;

pub use cause::{Cause, Look, Need, Paid};
pub use examine::{Basis, Evidence, Examination, Finding, Only, Remedy, RemedyChange, examine};
pub use program::{Module, Program, Site};
pub use put_off::{is_deep, is_leaking};

/// All known causes. If nothing was measured, findings are reported in this order.
pub static ALL: [&Cause; 30] = [
    &not_inlined::MISSING_OPTIMISATION,
    &whole_structure::APPEND_TO_ACCUMULATOR,
    &sort_keys::CAUSE,
    &library_use::CAUSE,
    &parsed_again::CAUSE,
    &made_anew::CAUSE,
    &whole_structure::COPY_ON_WRITE,
    &overloading::LOST_SPECIALISE,
    &overloading::OVERLOADED_CONSTANT,
    &overloading::OVERLOADED_LOOP,
    &whole_structure::REBUILD_AFTER_RECURSION,
    &whole_structure::TREE_SUBSTITUTION,
    &whole_structure::CLOSURE_CHAIN,
    &put_off::THUNK_LEAK,
    &list_kept::CAUSE,
    &put_off::DEEP_STACK,
    &kept_slices::CAUSE,
    &put_off::LAZY_ACCUMULATOR,
    &not_inlined::VISIBLE_USED_ONCE,
    &late_arguments::LAMBDA_UNDER_CASE,
    &not_inlined::FUNCTION_ARGUMENT,
    &late_arguments::OVER_SATURATED_CALLS,
    &not_inlined::LITERAL_LIST,
    &numbers::INTEGER_ARITHMETIC,
    &numbers::BOXED_ARGUMENT,
    &numbers::BOXED_ELEMENTS,
    &numbers::BOXED_REFERENCE,
    &not_inlined::LOCK_FRAME,
    &overloading::EXISTENTIAL_DICTIONARY,
    &overloading::UNKNOWN_CALL,
];
