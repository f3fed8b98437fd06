//! Any text is read as Core, and asked, in steps in proportion to its length.
#![no_main]

use fuzz::{in_proportion, mutate};
use ghc::core::Dump;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|text: &[u8]| {
    let dump = in_proportion("reading", text.len(), || Dump::read(text));
    in_proportion("asking", text.len(), || ask(&dump));
});

fuzz_mutator!(|text: &mut [u8], length: usize, room: usize, seed: u32| {
    mutate(text, length, room, seed)
});

/// Everything that is asked of a tree without a program around it.
fn ask(dump: &Dump) {
    let _ = dump.suppressed();
    for pass in &dump.passes {
        for top in dump.tops(pass) {
            let binding = &dump.core.bindings[top.binding];
            let _ = dump.core.size(binding.right);
            let _ = dump.core.free_variables(binding.right);
            let calls = dump.core.calls_within(binding.right);
            let focus: Vec<_> = calls.first().into_iter().map(|(it, _)| *it).collect();
            let _ = dump.core.readable_marked(binding, &focus);
        }
    }
}
