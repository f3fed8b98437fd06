//! The input of a cause: one program, as it was compiled and as it ran.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::compiling::{Firing, Inlining};
use crate::core::calls::CallGraph;
use crate::core::dump::Suppressed;
use crate::core::names::{Name, module, occurrence, split_unique};
use crate::core::tree::{Binding, Group, Id, Pass};
use crate::core::{Core, Dump};
use crate::heap_census::{Waiting, Waits};
use crate::heap_profile::HeapProfile;
use crate::instructions::Instructions;
use crate::samples::Samples;
use crate::ticky;

/// A binding of the top level of one of the modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The number of the module, from 0.
    pub module: usize,
    /// The number of the binding among those of the module's top level, in the order of the dump.
    pub top: usize,
}

/// A program, as far as known. Unknown parts are `None`, and causes that need them are skipped.
#[derive(Debug)]
pub struct Program {
    /// Its modules.
    pub modules: Vec<Module>,
    /// The version of the compiler, such as 9.0.2.
    pub compiler: Option<Vec<u32>>,
    /// The options passed to GHC by the user, or by the project's description; without those that
    /// brisk adds.
    pub options: Option<Vec<String>>,
    /// The ticky counters of a run.
    pub ticky: Option<ticky::Profile>,
    /// All bytes that the run with ticky counters allocated, in instrumented code and outside it.
    pub allocated_bytes: Option<u64>,
    /// The instructions of a run without counters.
    pub instructions: Option<Instructions>,
    /// The contents of the heap over the time of a run.
    pub heap: Option<HeapProfile>,
    /// The samples of a run without counters, or the reason why they are missing.
    pub samples: Result<Samples, String>,
    /// The makers of the thunks in the heap of a run without counters, at their peak, the largest
    /// first; empty without a census.
    pub waiting: Vec<Waiting>,
    /// The functions waiting on its stacks when they were deepest; empty without a census.
    pub waits: Waits,
    /// By name, with the module: the site of a binding of the top level.
    sites: HashMap<String, Site>,
    /// By name, without the module: the site of the binding of the top level that other modules may
    /// mean by it; `None` if several modules have one.
    visible: HashMap<String, Option<Site>>,
}

/// A module, as compiled by GHC.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// The simplified program: from `-ddump-simpl`.
    pub dump: Dump,
    /// The program in the form that code is generated from: from `-ddump-prep`, of the same
    /// compilation.
    pub prep: Option<Dump>,
    /// The rewrite rules that fired: from `-ddump-rule-firings`.
    pub firings: Option<Vec<Firing>>,
    /// The inlined functions: from `-ddump-inlinings`.
    pub inlinings: Option<Vec<Inlining>>,
    /// The text of the module.
    pub source: Option<Source>,
    /// The parts left out of `dump`.
    pub suppressed: Suppressed,
    /// The uses between bindings.
    pub graph: CallGraph,
    /// The bindings of the top level, each with a flag that is set in a recursive group.
    tops: Vec<(Id<Binding>, bool)>,
    /// By name within the dump: the number of the binding in `tops`.
    places: HashMap<Name, usize>,
    /// By the number of a worker: that of its wrapper.
    wrappers: HashMap<usize, usize>,
    /// The bindings of the top level of `prep`, by name with the module, computed on first use.
    prepared: OnceLock<HashMap<String, Id<Binding>>>,
}

/// A Haskell source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its path, for people.
    pub path: String,
    /// Its contents.
    pub text: String,
}

impl Module {
    /// A module with this name. If a dump has several passes, the last counts.
    pub fn new(name: impl Into<String>, dump: Dump) -> Self {
        let nothing = Pass {
            title: None,
            size: None,
            groups: crate::core::tree::List::EMPTY,
            rules: crate::core::tree::List::EMPTY,
            line: 1,
        };
        let pass = dump.passes.last().copied().unwrap_or(nothing);
        let groups: &[Group] = &dump.core.groups[pass.groups];
        let tops: Vec<(Id<Binding>, bool)> = groups
            .iter()
            .flat_map(|group| {
                dump.core.tops[group.bindings].iter().map(|top| (top.binding, group.recursive))
            })
            .collect();
        let places = tops.iter().enumerate();
        let places = places.map(|(place, (it, _))| (dump.core.bindings[*it].name, place)).collect();
        let wrappers = wrappers(&dump.core, &tops);
        Self {
            name: name.into(),
            suppressed: dump.suppressed(),
            graph: CallGraph::from_dump(&dump, &pass),
            tops,
            places,
            wrappers,
            prepared: OnceLock::new(),
            dump,
            prep: None,
            firings: None,
            inlinings: None,
            source: None,
        }
    }

    /// The nodes of its simplified program.
    pub fn core(&self) -> &Core {
        &self.dump.core
    }

    /// A binding of the top level.
    pub fn binding(&self, top: usize) -> &Binding {
        &self.dump.core.bindings[self.tops[top].0]
    }

    /// True if a binding of the top level is in a group of bindings that refer to each other.
    pub fn is_recursive(&self, top: usize) -> bool {
        self.tops[top].1
    }

    /// The number of bindings of the top level.
    pub fn len(&self) -> usize {
        self.tops.len()
    }

    /// True if the top level has no bindings.
    pub fn is_empty(&self) -> bool {
        self.tops.is_empty()
    }

    /// The number of the binding of the top level with this name of the dump.
    pub fn top(&self, name: Name) -> Option<usize> {
        self.places.get(&name).copied()
    }

    /// The wrapper of a worker, both by their numbers.
    pub fn wrapper_of(&self, worker: usize) -> Option<usize> {
        self.wrappers.get(&worker).copied()
    }

    /// The binding of CorePrep that one of the top level became, under the same name; `None`
    /// without such a dump.
    pub fn prepared(&self, top: usize) -> Option<Id<Binding>> {
        let prep = self.prep.as_ref()?;
        let by_name = self.prepared.get_or_init(|| {
            let mut by_name = HashMap::new();
            for top in prep.passes.last().into_iter().flat_map(|pass| prep.tops(pass)) {
                let name = prep.core.text(prep.core.bindings[top.binding].name);
                by_name.entry(self.full_name(name).into_owned()).or_insert(top.binding);
            }
            by_name
        });
        by_name.get(self.full_name(self.top_name(top)).as_ref()).copied()
    }

    /// The name of a binding of the top level, as in the dump.
    pub fn top_name(&self, top: usize) -> &str {
        self.core().text(self.binding(top).name)
    }

    /// A name of this module's top level, with the module before it.
    pub fn full_name<'a>(&self, name: &'a str) -> std::borrow::Cow<'a, str> {
        if module(name).is_some() || name.starts_with(':') {
            name.into()
        } else {
            format!("{}.{name}", self.name).into()
        }
    }
}

/// By the number of each worker, `$wgo`, that of its wrapper: the first function named `go`.
fn wrappers(core: &Core, tops: &[(Id<Binding>, bool)]) -> HashMap<usize, usize> {
    let stem = |it: &(Id<Binding>, bool)| {
        let name = core.text(core.bindings[it.0].name);
        split_unique(name).map_or_else(|| occurrence(name), |(stem, _)| stem)
    };
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (place, it) in tops.iter().enumerate() {
        first.entry(stem(it)).or_insert(place);
    }
    let of = |(place, it): (usize, &(Id<Binding>, bool))| {
        Some((place, *first.get(stem(it).strip_prefix("$w")?)?))
    };
    tops.iter().enumerate().filter_map(of).collect()
}

impl Program {
    /// A program of these modules, without any other data.
    pub fn new(modules: Vec<Module>) -> Self {
        let mut sites = HashMap::new();
        let mut visible: HashMap<String, Option<Site>> = HashMap::new();
        for (number, module) in modules.iter().enumerate() {
            for top in 0..module.len() {
                let site = Site { module: number, top };
                let name = module.top_name(top);
                sites.insert(module.full_name(name).into_owned(), site);
                if split_unique(name).is_none() {
                    let known = visible.entry(occurrence(name).to_owned()).or_insert(Some(site));
                    if *known != Some(site) {
                        *known = None;
                    }
                }
            }
        }
        Self {
            modules,
            compiler: None,
            options: None,
            ticky: None,
            allocated_bytes: None,
            instructions: None,
            heap: None,
            samples: Err("it was not run here".to_owned()),
            waiting: Vec::new(),
            waits: Waits::default(),
            sites,
            visible,
        }
    }

    /// The module of a binding.
    pub fn module_of(&self, site: Site) -> &Module {
        &self.modules[site.module]
    }

    /// The nodes of the simplified module of a binding.
    pub fn core_of(&self, site: Site) -> &Core {
        self.module_of(site).core()
    }

    /// A binding of the top level.
    pub fn binding(&self, site: Site) -> &Binding {
        self.module_of(site).binding(site.top)
    }

    /// Its name, as in the dump.
    pub fn name(&self, site: Site) -> &str {
        self.module_of(site).top_name(site.top)
    }

    /// The binding of the top level that a name in a module means: one of that module, or of
    /// another module whose dump is present. Callers must exclude local names that shadow it.
    pub fn site_of(&self, in_module: usize, name: Name) -> Option<Site> {
        let module = &self.modules[in_module];
        if let Some(top) = module.top(name) {
            return Some(Site { module: in_module, top });
        }
        let text = module.core().text(name);
        // GHC prints a name as the module would write it: without its module if it is imported so,
        // and with another word for the module if it is imported `as` that.
        self.sites.get(text).copied().or_else(|| {
            // No module imports itself: `ReadP.run` cannot be a `run` of this one.
            let visible = self.visible.get(occurrence(text)).copied().flatten();
            visible.filter(|site| site.module != in_module)
        })
    }

    /// The binding of the top level with this name, its module before it.
    pub fn site_named(&self, full_name: &str) -> Option<Site> {
        self.sites.get(full_name).copied()
    }

    /// All bindings of the top level, module by module.
    pub fn sites(&self) -> impl Iterator<Item = Site> + '_ {
        self.modules
            .iter()
            .enumerate()
            .flat_map(|(module, it)| (0..it.len()).map(move |top| Site { module, top }))
    }
}
