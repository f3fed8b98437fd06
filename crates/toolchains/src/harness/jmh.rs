//! JMH's names: a method, and the values of its parameters.
//!
//! A report has the parameters as an object, sorted by name; a list has the values of each below the
//! method, with `, ` between them. So a value that contains `, ` cannot be told from two. An option
//! `-p` has commas between values: one that contains a comma cannot be chosen, so all values of its
//! parameter run, each in a process of JMH's own.

use super::escape;

/// A parameter and its values.
type Parameter<'a> = (&'a str, Vec<&'a str>);

/// The names in a list with parameters (`-lp`), in its order.
pub(super) fn names(list: &str) -> Vec<String> {
    let mut all: Vec<(&str, Vec<Parameter<'_>>)> = Vec::new();
    for line in list.lines().skip_while(|line| !line.starts_with("Benchmarks:")).skip(1) {
        match (parameter(line), all.last_mut()) {
            (Some(parameter), Some((_, parameters))) => parameters.push(parameter),
            _ if line.starts_with(' ') || line.is_empty() => {}
            _ => all.push((line.trim(), Vec::new())),
        }
    }
    all.into_iter().flat_map(|(method, parameters)| combinations(method, parameters)).collect()
}

fn parameter(line: &str) -> Option<Parameter<'_>> {
    let (name, values) = line.strip_prefix("  param \"")?.split_once("\" = {")?;
    Some((name, values.strip_suffix('}')?.split(", ").collect()))
}

fn combinations(method: &str, mut parameters: Vec<Parameter<'_>>) -> Vec<String> {
    parameters.sort();
    let mut all = vec![String::new()];
    for (name, values) in parameters {
        let with = |before: &String| -> Vec<String> {
            let between = if before.is_empty() { "" } else { ", " };
            values.iter().map(|value| format!("{before}{between}{name}={value}")).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    all.into_iter().map(|values| named(method, &values)).collect()
}

fn named(method: &str, values: &str) -> String {
    if values.is_empty() { method.to_owned() } else { format!("{method} ({values})") }
}

/// The arguments that run at least these benchmarks.
pub(super) fn selection(names: &[&str]) -> Vec<String> {
    let mut arguments = Vec::new();
    for name in names {
        let (method, values) = match name.split_once(" (") {
            Some((method, rest)) => (method, rest.strip_suffix(')').unwrap_or(rest)),
            None => (*name, ""),
        };
        arguments.push(escape::exact_regex(method));
        if names.len() > 1 {
            continue;
        }
        for pair in values.split(", ").filter(|pair| pair.contains('=') && !pair.contains(',')) {
            arguments.extend(["-p".to_owned(), pair.to_owned()]);
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_values_is_a_benchmark() {
        let list = "# noise\nBenchmarks: \nb.Other.sum\nb.Sums.sum\n  param \"what\" = {10, a,b}\n  \
                    param \"n\" = {1, 2}\n";
        let expected = [
            "b.Other.sum",
            "b.Sums.sum (n=1, what=10)",
            "b.Sums.sum (n=1, what=a,b)",
            "b.Sums.sum (n=2, what=10)",
            "b.Sums.sum (n=2, what=a,b)",
        ];
        assert_eq!(names(list), expected);
    }

    #[test]
    fn a_value_that_an_option_cannot_say_is_left_out() {
        let of = |name| selection(&[name]);
        assert_eq!(of("b.Other.sum"), ["^b\\.Other\\.sum$"]);
        assert_eq!(of("b.S.sum (n=1, what=10)"), ["^b\\.S\\.sum$", "-p", "n=1", "-p", "what=10"]);
        assert_eq!(of("b.S.sum (n=1, what=a,b)"), ["^b\\.S\\.sum$", "-p", "n=1"]);
    }
}
