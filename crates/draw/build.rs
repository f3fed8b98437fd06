//! Compresses the fonts of pictures: half a megabyte less in the program.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    for (name, font) in [("sans", dejavu::sans::regular()), ("mono", dejavu::sans_mono::regular())]
    {
        let compressed = miniz_oxide::deflate::compress_to_vec_zlib(font, 6);
        std::fs::write(Path::new(&folder).join(name), compressed)
            .expect("cargo's folder is writable");
    }
}
