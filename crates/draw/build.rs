//! Leaves of the fonts what pictures need, and compresses it: 0.7 MB less in the program.
//!
//! Tables and their fields are those of OpenType 1.9.1.

use std::collections::BTreeMap;
use std::path::Path;

/// Outlines and widths are read from these. The others have names, kerning and hints for screens.
const TABLES: [&[u8]; 7] = [b"cmap", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp"];

/// The tables of a font, by name.
type Tables = BTreeMap<Vec<u8>, Vec<u8>>;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    for (name, font) in [("sans", dejavu::sans::regular()), ("mono", dejavu::sans_mono::regular())]
    {
        let compressed = miniz_oxide::deflate::compress_to_vec_zlib(&slim(font), 10);
        std::fs::write(Path::new(&folder).join(name), compressed)
            .expect("cargo's folder is writable");
    }
}

/// The font with [`TABLES`] alone, and without hints.
fn slim(font: &[u8]) -> Vec<u8> {
    // Each of the table directory's records has a name, a checksum, an offset and a length.
    let records = font[12..].chunks(16).take(number(&font[4..6]));
    let table = |record: &[u8]| {
        let begin = number(&record[8..12]);
        (record[..4].to_vec(), font[begin..begin + number(&record[12..16])].to_vec())
    };
    let kept = records.filter(|record| TABLES.contains(&&record[..4]));
    let mut tables: Tables = kept.map(table).collect();
    leave_hints_out(&mut tables);
    let mut directory = font[..12].to_vec();
    directory[4..6].copy_from_slice(&bytes::<2>(tables.len()));
    let mut contents = Vec::new();
    for (name, table) in &tables {
        directory.extend(name);
        directory.extend([0; 4]);
        directory.extend(bytes::<4>(12 + 16 * tables.len() + contents.len()));
        directory.extend(bytes::<4>(table.len()));
        contents.extend(table);
        contents.resize(contents.len().next_multiple_of(4), 0);
    }
    [directory, contents].concat()
}

/// Takes the instructions for screens out of the glyphs. Those of composite ones are few, and stay.
fn leave_hints_out(tables: &mut Tables) {
    let old = tables[b"glyf".as_slice()].clone();
    // `loca` has offsets of four bytes, or half the offset in two.
    let (width, unit) = if tables[b"head".as_slice()][51] == 1 { (4, 1) } else { (2, 2) };
    let offsets: Vec<usize> =
        tables[b"loca".as_slice()].chunks(width).map(|one| unit * number(one)).collect();
    let (mut glyphs, mut places) = (Vec::new(), vec![0]);
    for ends in offsets.windows(2) {
        let glyph = &old[ends[0]..ends[1]];
        // Ten bytes, the first two of them the number of contours, and then where each contour ends.
        let contours = glyph.get(..2).map_or(u16::MAX.into(), number);
        if contours <= i16::MAX as usize {
            let begin = 10 + 2 * contours;
            let length = number(&glyph[begin..begin + 2]);
            glyphs.extend(&glyph[..begin]);
            glyphs.extend([0, 0]);
            glyphs.extend(&glyph[begin + 2 + length..]);
        } else {
            glyphs.extend(glyph);
        }
        glyphs.resize(glyphs.len().next_multiple_of(2), 0);
        places.push(glyphs.len() / unit);
    }
    let places = places.into_iter().flat_map(|place| bytes::<4>(place)[4 - width..].to_vec());
    tables.insert(b"loca".to_vec(), places.collect());
    tables.insert(b"glyf".to_vec(), glyphs);
}

fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

fn bytes<const WIDTH: usize>(number: usize) -> [u8; WIDTH] {
    let all = number.to_be_bytes();
    all[all.len() - WIDTH..].try_into().expect("of that width")
}
