//! The pictures of sweeps, as SVG and PNG.

use crate::lab::Lab;

/// The first bytes of every PNG file (RFC 2083, section 3.1).
const PNG_SIGNATURE: [u8; 8] = [137, 80, 78, 71, 13, 10, 26, 10];

fn is_png(lab: &Lab, name: &str) -> bool {
    std::fs::read(lab.path(name)).expect("a file").starts_with(&PNG_SIGNATURE)
}

#[test]
fn a_sweep_over_one_parameter_is_drawn_as_curves_and_again_by_export() {
    let lab = Lab::new();
    lab.write("nap.sh", "[ $1 != bad ] || { echo no such nap >&2; exit 7; }\nsleep 0.0$1\n");
    let arguments = [
        "sweep",
        "--param",
        "t=1,bad,5",
        "--runs",
        "8",
        "--export-svg",
        "sweep.svg",
        "--export-png",
        "sweep.png",
        "sh nap.sh {t}",
    ];
    lab.brisk(&arguments).succeeded();
    let svg = lab.read("sweep.svg");
    assert_eq!(svg.matches("<g class=\"panel\"").count(), 1, "memory is at most the launcher's");
    assert!(svg.contains(">sh nap.sh {t}</text>"), "the title is the command");
    assert!(svg.contains("exited with status 7\nno such nap"), "the reason is in the tooltip");
    assert!(svg.contains("best: t=1"), "{svg}");
    assert!(is_png(&lab, "sweep.png"));
    lab.brisk(&["export", "1", "--export-svg", "again.svg", "--export-png", "again.png"])
        .succeeded();
    assert_eq!(lab.read("again.svg"), svg);
    assert!(is_png(&lab, "again.png"));
}

#[test]
fn two_parameters_make_a_map_and_three_the_plot() {
    let lab = Lab::new();
    let two = ["sweep", "--param", "a=0.001,0.002", "--param", "b=0.001,0.003", "--runs", "3"];
    let svg = ["--export-svg", "sweep.svg"];
    lab.brisk(&[&two[..], &svg, &["sleep {a} {b}"]].concat()).succeeded();
    let drawn = lab.read("sweep.svg");
    let count = |text: &str, what: &str| text.matches(what).count();
    assert_eq!((count(&drawn, "<g class=\"map\""), count(&drawn, "<g class=\"panel\"")), (1, 0));
    let three = ["--param", "c=0.001", "sleep {a} {b} {c}"];
    lab.brisk(&[&two[..], &svg, &three].concat()).succeeded();
    let drawn = lab.read("sweep.svg");
    assert_eq!((count(&drawn, "<g class=\"map\""), count(&drawn, "<g class=\"panel\"")), (0, 1));
}

#[test]
fn where_memory_is_minimised_it_is_not_drawn_against_itself() {
    let lab = Lab::new();
    let arguments = ["--param", "t=0.001,0.002", "--runs", "3", "--minimize", "peak_rss"];
    let svg = ["--export-svg", "sweep.svg", "sleep {t}"];
    lab.brisk(&[&["sweep"], &arguments[..], &svg].concat()).succeeded();
    assert_eq!(lab.read("sweep.svg").matches("<g class=\"panel\"").count(), 1);
}

#[test]
fn a_comparison_is_drawn_with_every_run_and_its_readings() {
    let lab = Lab::new();
    lab.brisk(&["compare", "-r", "8", "--export-svg", "x.svg", "true", "sleep 0.02"]).judged();
    let text = lab.read("x.svg");
    let picture = roxmltree::Document::parse(&text).expect("well-formed");
    let titles: Vec<&str> = picture
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    let of = |start: &str| titles.iter().filter(|title| title.starts_with(start)).count();
    // Each run with its round and its readings, followed by the distribution.
    assert_eq!(
        (
            of("A  true, round "),
            of("B  sleep 0.02, round "),
            of("A  true\n"),
            of("B  sleep 0.02\n")
        ),
        (8, 8, 1, 1)
    );
    assert!(titles.iter().any(|title| title.contains(", round 8\nwall time: ")), "{titles:?}");
}
