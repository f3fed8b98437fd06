//! Files of DHAT, written by hand in the form of Valgrind 3.19, and their known sums.

use toolchains::dhat::{Allocations, DhatError, read};

/// A file with these program points and entries, after `[root]`.
fn file(points: &str, entries: &[&str]) -> String {
    let entries: Vec<String> = entries.iter().map(|entry| format!(",\"{entry}\"")).collect();
    format!(
        "{{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,\
         \"cmd\":\"./p 1\",\"pid\":7,\"te\":9,\"tg\":8,\"pps\":[{points}],\n\
         \"ftbl\":[\"[root]\"{}]}}",
        entries.concat()
    )
}

const MALLOC: &str = "0x1: malloc (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)";

fn read_text(text: &str) -> Result<Allocations, DhatError> {
    read(text.as_bytes())
}

/// Bytes, blocks, and the functions and lines from the call site outwards.
fn stacks(text: &str) -> Vec<(u64, u64, String)> {
    let read = read_text(text).expect("a sound file");
    let stacks = read.stacks.iter().map(|stack| {
        let places = read.places(stack);
        let shown = places.iter().map(|it| format!("{} {}:{}", it.symbol, it.file, it.line));
        (stack.bytes, stack.blocks, shown.collect::<Vec<_>>().join(" < "))
    });
    stacks.collect()
}

#[test]
fn bytes_and_blocks_belong_to_the_innermost_function_that_is_no_allocator() {
    let points = r#"{"tb":1000,"tbk":10,"tl":3,"mb":1,"mbk":1,"fs":[1,2,3]},
                    {"tb":85,"tbk":3,"fs":[1,3]}"#;
    let text = file(points, &[MALLOC, "0x2: make (/c/a.c:5)", "0x3: main (/c/a.c:8)"]);
    let expected = [(1000, 10, "make /c/a.c:5 < main /c/a.c:8"), (85, 3, "main /c/a.c:8")];
    assert_eq!(stacks(&text), expected.map(|(b, n, places)| (b, n, places.to_owned())));
    assert_eq!(read_text(&text).expect("sound").command, "./p 1");
}

#[test]
fn inlined_code_is_part_of_its_function_and_gives_the_line() {
    let points = r#"{"tb":4,"tbk":1,"fs":[1,2,3,4]}, {"tb":8,"tbk":1,"fs":[1,5,6,5,6,7]}"#;
    let entries = [
        "0x1: _Znwm (in /usr/libexec/valgrind/vgpreload_dhat-amd64-linux.so)",
        "0x2: push_back (/usr/include/c++/12/bits/stl_vector.h:1287)",
        "0x2: parse (/c/a.cc:3)",
        "0x2: main (/c/a.cc:4)",
        "0x3: inner (/c/b.c:1)",
        "0x3: again (/c/b.c:2)",
        "0x4: main (/c/b.c:3)",
    ];
    let text = file(points, &entries);
    let expected = [(4, 1, "main /c/a.cc:3"), (8, 1, "again /c/b.c:1 < main /c/b.c:3")];
    assert_eq!(stacks(&text), expected.map(|(b, n, places)| (b, n, places.to_owned())));
    let depths: Vec<usize> =
        read_text(&text).expect("sound").stacks.iter().map(|stack| stack.depth()).collect();
    assert_eq!(depths, [2, 4], "a level of recursion counts");
}

#[test]
fn code_without_names_is_a_call_site_as_well() {
    let text = file(r#"{"tb":7,"tbk":1,"fs":[1,2]}"#, &[MALLOC, "0x2: ??? (in /c/stripped)"]);
    assert_eq!(stacks(&text), [(7, 1, "??? ???:0".to_owned())]);
    let text = file(r#"{"tb":7,"tbk":1,"fs":[1]}"#, &[MALLOC]);
    assert_eq!(stacks(&text)[0].2, "malloc ???:0", "a stack of nothing else keeps it");
    let text = file(r#"{"tb":7,"tbk":1,"fs":[]}"#, &[]);
    assert_eq!(stacks(&text), [(7, 1, String::new())]);
}

#[test]
fn a_program_without_allocations_has_no_stacks() {
    assert_eq!(read_text(&file("", &[])).expect("sound").stacks, []);
}

#[test]
fn files_that_are_none_of_heap_profiles_are_refused_with_the_reason() {
    let whole = file(r#"{"tb":7,"tbk":1,"fs":[1]}"#, &[MALLOC]);
    let refused = |text: &str| read_text(text).expect_err("it is refused");
    for text in ["", "hello", "{}", "[1]", "events: Ir\n", "{\"mode\":\"heap\"}", "null"] {
        assert_eq!(refused(text), DhatError::NotDhat, "{text}");
    }
    for end in (25..whole.len()).step_by(7) {
        assert_eq!(refused(&whole[..end]), DhatError::CutOff, "{}", &whole[..end]);
    }
    assert_eq!(
        refused(&whole.replace("Version\":2", "Version\":3")),
        DhatError::Version { found: "3".to_owned() }
    );
    for mode in ["copy", "ad-hoc", "rust-ad-hoc"] {
        let error = refused(&whole.replace("\"heap\"", &format!("\"{mode}\"")));
        assert_eq!(error, DhatError::Mode { mode: mode.to_owned() });
    }
    for (sound, spoilt) in
        [("\"tb\":7", "\"tb\":-7"), ("\"tbk\":1", "\"x\":1"), ("[1]", "[2]"), ("[1]", "[\"1\"]")]
    {
        let error = refused(&whole.replace(sound, spoilt));
        assert_eq!(error, DhatError::Entry { list: "pps", number: 0 }, "{spoilt}");
    }
    assert_eq!(
        refused(&whole.replace(",\"ftbl\":", ",\"other\":").replace("\n\"ftbl\"", "\"other\"")),
        DhatError::Entry { list: "ftbl", number: 0 }
    );
    let large = format!("{{\"tb\":{},\"tbk\":1,\"fs\":[]}}", u64::MAX);
    assert_eq!(refused(&file(&format!("{large},{large}"), &[])), DhatError::Overflow);
}

#[test]
fn the_crate_dhat_for_rust_writes_the_same() {
    let text = file(
        r#"{"tb":7,"tbk":1,"fs":[1,2]}"#,
        &[
            "0x1: alloc::alloc::alloc (library/alloc/src/alloc.rs:98:5)",
            "0x2: app::load (src/app.rs:12:9)",
        ],
    );
    let text = text.replace("\"heap\"", "\"rust-heap\"");
    assert_eq!(stacks(&text), [(7, 1, "app::load src/app.rs:12".to_owned())]);
}
