//! GHC's own statistics about its dumps agree with the parsed ones.

use ghc::core::Dump;

use crate::{DUMPS, printer};

#[test]
fn every_sample_is_read_without_a_problem() {
    for (name, text) in DUMPS {
        let dump = Dump::read(text);
        assert_eq!(dump.problems, [], "{name}");
        let bindings: usize = dump.passes.iter().map(|pass| dump.tops(pass).count()).sum();
        let sizes =
            text.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"-- RHS")).count();
        // GHC 9.6 and later omit the sizes with `-dsuppress-all`.
        if sizes > 0 {
            assert_eq!(bindings, sizes, "{name}");
        }
        assert!(bindings > 20, "{name} has {bindings} bindings");
    }
}

#[test]
fn every_binding_has_the_size_that_ghc_counted() {
    for (name, text) in DUMPS {
        let dump = Dump::read(text);
        for pass in &dump.passes {
            for top in dump.tops(pass) {
                let Some(size) = top.size else { continue };
                let binding = &dump.core.bindings[top.binding];
                let counted = dump.core.size(binding.right);
                let of = dump.core.text(binding.name);
                assert_eq!(counted.terms, size.terms, "{name}, terms of {of}");
                assert_eq!(counted.join_points, size.join_points, "{name}, join points of {of}");
                assert_eq!(counted.inner_bindings, size.inner_bindings, "{name}, bindings in {of}");
                if let Some(coercions) = counted.coercions {
                    assert_eq!(coercions, size.coercions, "{name}, coercions of {of}");
                }
            }
        }
    }
}

#[test]
fn what_is_printed_reads_as_the_same_tree() {
    for (name, text) in DUMPS {
        let dump = Dump::read(text);
        let printed = printer::dump(&dump);
        let again = Dump::read(printed.as_bytes());
        assert_eq!(again.problems, [], "{name}");
        assert_eq!(printer::dump(&again), printed, "{name}");
    }
}

#[test]
fn a_tree_takes_less_than_ten_times_the_memory_of_its_dump() {
    for (name, text) in DUMPS {
        let bytes = Dump::read(text).core.bytes();
        assert!(bytes < 10 * text.len(), "{name}: {bytes} bytes for {}", text.len());
    }
}
