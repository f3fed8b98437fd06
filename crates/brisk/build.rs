//! Compresses the JSON Schema, which is a twentieth of its size then.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=docs/schema.json");
    let schema = std::fs::read("docs/schema.json").expect("it is part of the package");
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let compressed = miniz_oxide::deflate::compress_to_vec_zlib(&schema, 10);
    std::fs::write(Path::new(&folder).join("schema"), compressed)
        .expect("cargo's folder is writable");
}
