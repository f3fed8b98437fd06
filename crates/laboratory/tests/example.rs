//! The example on the library's front page, as its users would run it.

use std::path::Path;
use std::process::Command;

/// Examples are built with the tests, unless only some tests are.
#[test]
#[expect(clippy::disallowed_methods, reason = "an example is tested here, not measured")]
fn the_example_compares_two_commands_and_writes_the_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare-two");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for tests is writable");
    let cargo = std::env::var_os("CARGO").expect("cargo runs this test");
    let is_optimised = !cfg!(debug_assertions);
    let ended = Command::new(cargo)
        .args(["run", "--quiet", "--offline", "--example", "compare_two"])
        .args(is_optimised.then_some("--release"))
        .args(["--", "sleep 0.01", "sleep 0.05"])
        .arg(&folder)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo is there");
    let told = String::from_utf8_lossy(&ended.stdout);
    let progress = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{told}{progress}");
    assert_eq!(told, "wall_time: regressed\n");
    assert!(progress.contains(" rounds"), "{progress}");
    let page = std::fs::read_to_string(folder.join("page.html")).expect("it was written");
    assert!(page.contains("sleep 0.05") && page.contains("<svg"), "a page with pictures");
}
