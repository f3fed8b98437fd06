//! Compiles what counts the work of the parsers.

fn main() {
    println!("cargo::rerun-if-changed=count.c");
    cc::Build::new().file("count.c").opt_level(2).compile("brisk_fuzz_count");
}
