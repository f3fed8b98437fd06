//! The limit on the size of files that this process may write (`ulimit -f`, RLIMIT_FSIZE).

use std::fs;

/// True if there is a limit; false if that is unknown.
pub fn limits_file_size() -> bool {
    is_limited(&fs::read_to_string("/proc/self/limits").unwrap_or_default())
}

/// Parses the text of `/proc/PID/limits`: a name, the soft limit, the hard limit.
fn is_limited(limits: &str) -> bool {
    let sizes = limits.lines().find_map(|line| line.strip_prefix("Max file size"));
    sizes.is_some_and(|sizes| sizes.split_whitespace().next() != Some("unlimited"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_in_force_counts() {
        let of =
            |soft| format!("Max cpu time  1  2  seconds\nMax file size   {soft}   unlimited\n");
        assert!(is_limited(&of("512000")));
        assert!(!is_limited(&of("unlimited")));
        assert!(!is_limited(""));
    }
}
