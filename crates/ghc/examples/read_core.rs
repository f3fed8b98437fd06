//! Reads dumps of Core again and again, for measuring how long that takes: `read_core TIMES FILE...`.

use ghc::core::Dump;

#[expect(clippy::print_stdout, reason = "it is what this program is for")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let times = arguments.next().and_then(|times| times.parse::<usize>().ok());
    let times = times.expect("how many times");
    let texts: Vec<Vec<u8>> =
        arguments.map(|path| std::fs::read(path).expect("a file that can be read")).collect();
    let mut bytes = 0;
    for _ in 0..times {
        // All at once, as when a program is explained.
        let dumps: Vec<Dump> = texts.iter().map(|text| Dump::read(text)).collect();
        bytes = dumps.iter().map(|dump| dump.core.bytes()).sum();
        let unread: usize = dumps.iter().map(|dump| dump.unread_parts).sum();
        assert_eq!(unread, 0, "they are sound");
    }
    println!("{} bytes of text, {bytes} bytes of nodes", texts.iter().map(Vec::len).sum::<usize>());
}
