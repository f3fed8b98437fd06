//! The knobs: the menu, the changes to a command, and their acceptance by real runtimes.

mod accepted;
mod applied;
mod menus;

use toolchains::runtime::tuning::{self, Facts, Host, Menu};

/// A machine with this number of gibibytes.
fn host(gibibytes: u64) -> Host {
    Host { memory_bytes: gibibytes << 30, processors: 2 }
}

fn menu(word: &str, facts: Facts) -> Menu {
    tuning::find(word).expect("known").menu(host(16), facts)
}

/// The places of the default.
fn untouched(menu: &Menu) -> Vec<usize> {
    menu.items.iter().map(|item| item.default_place).collect()
}

/// The places with these knobs turned, by the texts of their levels.
fn places(menu: &Menu, turned: &[(&str, &str)]) -> Vec<usize> {
    let mut places = untouched(menu);
    for (name, text) in turned {
        let (place, item) = places
            .iter_mut()
            .zip(&menu.items)
            .find(|(_, item)| item.knob.name == *name)
            .unwrap_or_else(|| panic!("no knob `{name}`"));
        let of_text = |at: &usize| item.level(*at).is_some_and(|level| level.text == *text);
        *place = (0..item.places()).find(of_text).unwrap_or_else(|| panic!("no `{text}`"));
    }
    places
}
