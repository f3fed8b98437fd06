//! Samples as functions, lines and stacks.
//!
//! Each process has its own mappings, which its records tell; a sample's stack is unwound by the
//! rules that the mapped files have for it, or by frame pointers where there are none.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use findings::instructions::StackKind;
use framehop::{
    CacheNative, FrameAddress, MayAllocateDuringUnwind, Module, UnwindRegsNative, Unwinder,
    UnwinderNative,
};
use measure::profiler::{Mapping, ProfiledRun, Record, Recorded, Sample, UserRegisters};

use super::objects::{Image, Piece, Place};
use crate::instructions::profiling::{Counts, FunctionCount, LineCount, NO_SYMBOL, Stacks};

/// The name of the kernel, as an object and as its only function.
pub(super) const KERNEL: &str = "[kernel]";

/// The name of code that the program made while it ran, or that belongs to no file.
const MADE: &str = "[made while it ran]";

/// The samples of one run by function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RunSamples {
    /// All samples.
    pub(super) total: u64,
    /// Those of each function itself, by its number in [`Tally`].
    pub(super) by_function: HashMap<usize, u64>,
}

/// The samples of all runs of one program.
#[derive(Default)]
pub(super) struct Tally {
    images: HashMap<PathBuf, Option<Image>>,
    functions: Vec<FunctionKey>,
    numbers: HashMap<FunctionKey, usize>,
    with_calls: HashMap<usize, u64>,
    lines: HashMap<(usize, Place), u64>,
    stacks: HashMap<Vec<usize>, u64>,
    /// The runs, in the order in which they were added.
    pub(super) runs: Vec<RunSamples>,
    /// The number of stacks whose outer end is missing.
    pub(super) cut_stacks: u64,
}

/// A function by its object and name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FunctionKey {
    object: String,
    name: String,
}

/// The memory of one process.
#[derive(Clone, Default)]
struct Space {
    mappings: Vec<Mapping>,
    /// Made with the first sample after a change.
    unwinder: Option<UnwinderNative<Piece, MayAllocateDuringUnwind>>,
}

impl Space {
    fn map(&mut self, mapping: Mapping) {
        let end = mapping.start.saturating_add(mapping.length);
        self.mappings.retain(|old| old.start >= end || old.start + old.length <= mapping.start);
        self.mappings.push(mapping);
        self.unwinder = None;
    }

    fn find(&self, address: u64) -> Option<&Mapping> {
        let holds = |mapping: &&Mapping| {
            address.checked_sub(mapping.start).is_some_and(|place| place < mapping.length)
        };
        self.mappings.iter().find(holds)
    }
}

impl Tally {
    /// Adds a run.
    pub(super) fn add(&mut self, run: &ProfiledRun) {
        let mut spaces: HashMap<u32, Space> = HashMap::new();
        let mut cache = CacheNative::new();
        let mut samples = RunSamples::default();
        for Record { process, event, .. } in &run.records {
            match event {
                Recorded::Mapped(mapping) => {
                    spaces.entry(*process).or_default().map(mapping.clone());
                }
                Recorded::Executed => drop(spaces.insert(*process, Space::default())),
                Recorded::ForkedFrom(parent) => {
                    let mappings = spaces.get(parent).map(|it| it.mappings.clone());
                    let mappings = mappings.unwrap_or_default();
                    spaces.insert(*process, Space { mappings, unwinder: None });
                }
                Recorded::Sample(sample) => {
                    let space = spaces.entry(*process).or_default();
                    self.sample(sample, space, &mut cache, &mut samples);
                }
            }
        }
        self.runs.push(samples);
    }

    fn sample(
        &mut self,
        sample: &Sample,
        space: &mut Space,
        cache: &mut CacheNative<MayAllocateDuringUnwind>,
        samples: &mut RunSamples,
    ) {
        samples.total += 1;
        let addresses = self.unwound(sample, space, cache);
        let mut stack: Vec<usize> = Vec::with_capacity(addresses.len() + 1);
        for (depth, address) in addresses.iter().enumerate() {
            let (function, place) = self.function(*address, space);
            if depth == 0
                && !sample.in_kernel
                && let Some(place) = place
            {
                *self.lines.entry((function, place)).or_default() += 1;
            }
            stack.push(function);
        }
        stack.reverse();
        if sample.in_kernel || stack.is_empty() {
            stack.push(self.number(KERNEL.to_owned(), KERNEL.to_owned()));
        }
        // Recursion counts as one, as in callgrind's stacks.
        stack.dedup();
        let itself = *stack.last().expect("a stack has a top");
        *samples.by_function.entry(itself).or_default() += 1;
        let mut inside = stack.clone();
        inside.sort_unstable();
        inside.dedup();
        inside.into_iter().for_each(|it| *self.with_calls.entry(it).or_default() += 1);
        *self.stacks.entry(stack).or_default() += 1;
    }

    /// The addresses on the program's stack, innermost first; those of callers are within their
    /// calls.
    fn unwound(
        &mut self,
        sample: &Sample,
        space: &mut Space,
        cache: &mut CacheNative<MayAllocateDuringUnwind>,
    ) -> Vec<u64> {
        /// Deeper stacks have been followed in a circle.
        const MOST_FRAMES: usize = 1000;
        let Some(registers) = sample.registers else {
            return if sample.in_kernel { Vec::new() } else { vec![sample.counter] };
        };
        if space.unwinder.is_none() {
            space.unwinder = Some(self.unwinder(&space.mappings));
        }
        let unwinder = space.unwinder.as_ref().expect("just made");
        let mut read = |address: u64| word(&sample.stack, address.wrapping_sub(registers.stack));
        let mut frames =
            unwinder.iter_frames(registers.counter, native(registers), cache, &mut read);
        let mut addresses = Vec::new();
        loop {
            match frames.next() {
                Ok(Some(frame)) if addresses.len() < MOST_FRAMES => {
                    addresses.push(match frame {
                        FrameAddress::InstructionPointer(address) => address,
                        FrameAddress::ReturnAddress(address) => u64::from(address) - 1,
                    });
                }
                Ok(None) => break,
                Ok(Some(_)) | Err(_) => {
                    self.cut_stacks += 1;
                    break;
                }
            }
        }
        addresses
    }

    fn unwinder(&mut self, mappings: &[Mapping]) -> UnwinderNative<Piece, MayAllocateDuringUnwind> {
        let mut unwinder = UnwinderNative::new();
        for mapping in mappings {
            let Some(image) = self.image(mapping) else { continue };
            let Some(address) = image.address(mapping.offset) else { continue };
            let range = mapping.start..mapping.start.saturating_add(mapping.length);
            let base = mapping.start.wrapping_sub(address);
            let name = mapping.path.to_string_lossy().into_owned();
            unwinder.add_module(Module::new(name, range, base, image.unwinding()));
        }
        unwinder
    }

    fn image(&mut self, mapping: &Mapping) -> Option<&mut Image> {
        let path = &mapping.path;
        if !self.images.contains_key(path) {
            let image = if is_file(path) { Image::read(path) } else { None };
            self.images.insert(path.clone(), image);
        }
        self.images.get_mut(path)?.as_mut()
    }

    /// The number of the function at an address, and its source line there.
    fn function(&mut self, address: u64, space: &Space) -> (usize, Option<Place>) {
        let Some(mapping) = space.find(address) else {
            return (self.number(MADE.to_owned(), NO_SYMBOL.to_owned()), None);
        };
        let object = match is_file(&mapping.path) {
            true => mapping.path.to_string_lossy().into_owned(),
            // `[vdso]`, or `//anon`: memory without a file.
            false if mapping.path.as_os_str().as_encoded_bytes().starts_with(b"[") => {
                mapping.path.to_string_lossy().into_owned()
            }
            false => MADE.to_owned(),
        };
        let offset = address - mapping.start + mapping.offset;
        let Some(image) = self.image(mapping) else {
            return (self.number(object, NO_SYMBOL.to_owned()), None);
        };
        let found = image.address(offset);
        let name = found.and_then(|it| image.function(it)).unwrap_or(NO_SYMBOL).to_owned();
        let place = found.and_then(|it| image.place(it)).cloned();
        (self.number(object, name), place)
    }

    fn number(&mut self, object: String, name: String) -> usize {
        let key = FunctionKey { object, name };
        *self.numbers.entry(key.clone()).or_insert_with(|| {
            self.functions.push(key);
            self.functions.len() - 1
        })
    }

    /// The samples of a function in each run; 0 in all of them if it was never seen.
    pub(super) fn by_run(&self, object: &str, name: &str) -> Vec<u64> {
        let key = FunctionKey { object: object.to_owned(), name: name.to_owned() };
        let number = self.numbers.get(&key);
        let of_run = |run: &RunSamples| {
            number.and_then(|number| run.by_function.get(number)).copied().unwrap_or(0)
        };
        self.runs.iter().map(of_run).collect()
    }

    /// All samples of all runs, in the form of exact counts.
    pub(super) fn counts(&self, program: &str) -> Counts {
        let itself = |number| self.runs.iter().filter_map(|run| run.by_function.get(&number)).sum();
        let function = |(number, key): (usize, &FunctionKey)| FunctionCount {
            object: key.object.clone(),
            name: key.name.clone(),
            count: itself(number),
            blocks: None,
            symbols: 1,
        };
        let mut files: Vec<String> = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut lines: Vec<LineCount> = Vec::new();
        for ((function, place), count) in &self.lines {
            let file = *numbers.entry(&place.file).or_insert_with(|| {
                files.push(place.file.clone());
                files.len() - 1
            });
            lines.push(LineCount { function: *function, file, line: place.line, count: *count });
        }
        lines.sort_unstable_by_key(|line| (line.function, line.file, line.line));
        let has_ghc = self.images.values().flatten().any(Image::has_ghc);
        let with_calls = |number| self.with_calls.get(&number).copied().unwrap_or(0);
        Counts {
            event: "samples".to_owned(),
            total: self.runs.iter().map(|run| run.total).sum(),
            functions: self.functions.iter().enumerate().map(function).collect(),
            files,
            lines,
            calls: Vec::new(),
            inclusive: match has_ghc {
                true => Err("code of GHC does not return to its callers (tail calls)".to_owned()),
                false => Ok((0..self.functions.len()).map(with_calls).collect()),
            },
            has_ghc,
            program: Some(program.to_owned()),
            remarks: Vec::new(),
        }
    }

    /// The stacks of all runs, each sample weighing `weight`.
    pub(super) fn stacks(&self, weight: f64) -> Stacks {
        let mut counts: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for (stack, count) in &self.stacks {
            let names = stack.iter().map(|number| self.functions[*number].name.clone()).collect();
            *counts.entry(names).or_default() += (*count as f64 * weight).round() as u64;
        }
        Stacks { kind: StackKind::Unwound, counts }
    }
}

/// True for the path of a file, which memory without one has no part of.
fn is_file(path: &std::path::Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.starts_with(b"/") && !bytes.starts_with(b"//")
}

/// A word of the copied stack.
fn word(stack: &[u8], place: u64) -> Result<u64, ()> {
    let place = usize::try_from(place).map_err(drop)?;
    let bytes = stack.get(place..).and_then(|rest| rest.first_chunk::<8>()).ok_or(())?;
    Ok(u64::from_ne_bytes(*bytes))
}

#[cfg(target_arch = "x86_64")]
fn native(registers: UserRegisters) -> UnwindRegsNative {
    UnwindRegsNative::new(registers.counter, registers.stack, registers.frame)
}

#[cfg(target_arch = "aarch64")]
fn native(registers: UserRegisters) -> UnwindRegsNative {
    UnwindRegsNative::new(registers.link, registers.stack, registers.frame)
}
