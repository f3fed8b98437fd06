//! Reads a file in pieces: files of hundreds of megabytes need no more memory than their distinct
//! contents.

use std::collections::HashMap;

use memchr::memchr_iter;

use super::number;
use super::{Call, CallgrindError, Function, LineCost, Part, Problem, Profile};
use super::{Name, Names, UNKNOWN};

/// The number of unreadable lines that are kept for messages.
const MOST_PROBLEMS: usize = 5;

/// Entries are merged when this many have accumulated, and again whenever they have doubled.
const FIRST_ADDITION: usize = 1 << 20;

/// The largest number of position columns, as named in the line `positions:`.
const MOST_POSITIONS: usize = 3;

/// Reads a file in pieces.
#[derive(Debug)]
pub struct Reader {
    wanted: Option<String>,
    /// The column of the event, from 0.
    column: usize,
    /// The number of position columns, and which of them is the line.
    positions: usize,
    line_position: Option<usize>,
    /// The positions of the line before.
    last: [u64; MOST_POSITIONS],
    /// The unfinished line, which continues in the next piece.
    rest: Vec<u8>,
    line: u64,
    error: Option<CallgrindError>,
    profile: Profile,
    objects: Names,
    files: Names,
    names: Names,
    places: HashMap<(Name, Name, Name), u32>,
    /// The last place of a function by name, nearly always the right one.
    last_places: Vec<Option<(Name, Name, u32)>>,
    here: Here,
    added_lines: usize,
    added_calls: usize,
}

/// The place in the program that the next lines belong to.
#[derive(Debug)]
struct Here {
    object: Name,
    file: Name,
    function: Option<u32>,
    called_object: Option<Name>,
    called_file: Option<Name>,
    called: Option<Name>,
    next: Next,
}

/// The kind of the next cost line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The function's own cost.
    Function,
    /// The cost of this number of calls.
    Calls(u64),
    /// Not a cost: the position of a jump.
    Jump,
}

/// The fault in a line.
type Wrong = &'static str;

impl Default for Reader {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Reader {
    /// A reader for the costs of `event`; by default those of `Ir`, or of the first event if the
    /// file has no `Ir`.
    #[must_use]
    pub fn new(event: Option<&str>) -> Self {
        let (mut objects, mut files) = (Names::default(), Names::default());
        let here = Here {
            object: objects.keep(UNKNOWN.as_bytes()),
            file: files.keep(UNKNOWN.as_bytes()),
            function: None,
            called_object: None,
            called_file: None,
            called: None,
            next: Next::Function,
        };
        Self {
            wanted: event.map(str::to_owned),
            column: 0,
            positions: 1,
            line_position: Some(0),
            last: [0; MOST_POSITIONS],
            rest: Vec::new(),
            line: 0,
            error: None,
            profile: Profile::default(),
            objects,
            files,
            names: Names::default(),
            places: HashMap::new(),
            last_places: Vec::new(),
            here,
            added_lines: FIRST_ADDITION,
            added_calls: FIRST_ADDITION,
        }
    }

    /// Reads the next piece. After an error, further pieces are ignored.
    pub fn take(&mut self, piece: &[u8]) {
        let mut start = 0;
        for end in memchr_iter(b'\n', piece) {
            if self.error.is_some() {
                return;
            }
            if self.rest.is_empty() {
                self.take_line(&piece[start..end]);
            } else {
                let mut line = std::mem::take(&mut self.rest);
                line.extend_from_slice(&piece[start..end]);
                self.take_line(&line);
                line.clear();
                self.rest = line;
            }
            start = end + 1;
        }
        self.rest.extend_from_slice(&piece[start..]);
    }

    /// The profile.
    ///
    /// # Errors
    ///
    /// When the file is not a profile, does not count the event, or changes its events on the way.
    pub fn finish(mut self) -> Result<Profile, CallgrindError> {
        if !self.rest.is_empty() {
            // A number cut in half is still a number.
            self.line += 1;
            self.note("the file ends within it");
        }
        if self.here.next != Next::Function {
            self.note("the file ends before what it announces");
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.profile.events.is_empty() {
            return Err(CallgrindError::NoEvents);
        }
        add_up(&mut self.profile.lines);
        add_up(&mut self.profile.calls);
        self.profile.objects = self.objects.into_texts();
        self.profile.files = self.files.into_texts();
        self.profile.names = self.names.into_texts();
        if self.profile.functions.is_empty() {
            return Err(CallgrindError::NoCosts);
        }
        Ok(self.profile)
    }

    fn take_line(&mut self, line: &[u8]) {
        self.line += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let done = match line.first() {
            None | Some(b'#') => Ok(()),
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => self.cost(line),
            Some(_) => self.statement(line),
        };
        if let Err(what) = done {
            self.note(what);
        }
    }

    fn note(&mut self, what: Wrong) {
        self.profile.unread_lines += 1;
        if self.profile.problems.len() < MOST_PROBLEMS {
            self.profile.problems.push(Problem { line: self.line, what });
        }
    }

    /// A line with a key.
    fn statement(&mut self, line: &[u8]) -> Result<(), Wrong> {
        let end = line.iter().position(|byte| matches!(byte, b'=' | b':'));
        let Some(end) = end else { return Err("it is neither a cost nor a statement") };
        let (key, value) = (&line[..=end], &line[end + 1..]);
        const NO_NAME: Wrong = "its number has no name";
        match key {
            b"fn=" => {
                let known = self.names.read(value);
                let name = known.unwrap_or_else(|| self.names.keep(UNKNOWN.as_bytes()));
                self.here.function = Some(self.place((self.here.object, self.here.file, name)));
                self.here.next = Next::Function;
                self.forget_callee();
                known.ok_or(NO_NAME)?;
            }
            // The callee's file and object do not apply to the lines that follow.
            b"fl=" | b"fi=" | b"fe=" => {
                let known = self.files.read(value);
                self.here.file = known.unwrap_or_else(|| self.files.keep(UNKNOWN.as_bytes()));
                known.ok_or(NO_NAME)?;
            }
            b"ob=" => {
                let known = self.objects.read(value);
                self.here.object = known.unwrap_or_else(|| self.objects.keep(UNKNOWN.as_bytes()));
                known.ok_or(NO_NAME)?;
            }
            b"cob=" => self.here.called_object = self.objects.read(value),
            b"cfl=" | b"cfi=" => self.here.called_file = self.files.read(value),
            b"cfn=" => {
                self.here.called = self.names.read(value);
                self.here.called.ok_or(NO_NAME)?;
            }
            b"calls=" => {
                let count = number::take(&mut number::skip_blanks(value));
                self.here.next = Next::Calls(count.ok_or("the calls have no number")?);
            }
            b"jump=" | b"jcnd=" => self.here.next = Next::Jump,
            // The targets of jumps; callgrind writes them, though the manual does not mention it.
            b"jfi=" => _ = self.files.read(value),
            b"jfn=" => _ = self.names.read(value),
            _ => return self.header(key, value),
        }
        Ok(())
    }

    /// A header line, or the line after the costs.
    fn header(&mut self, key: &[u8], value: &[u8]) -> Result<(), Wrong> {
        match key {
            b"events:" => self.events(value),
            b"positions:" => self.read_positions(value)?,
            b"summary:" => {
                let sum = self.column_of(value)?;
                self.part().summary = Some(sum);
            }
            b"totals:" => {
                let sum = self.column_of(value)?;
                self.part().totals = Some(sum);
            }
            b"cmd:" => {
                self.profile.command =
                    String::from_utf8_lossy(number::skip_blanks(value)).trim_end().to_owned();
            }
            b"pid:" => self.profile.process = number::take(&mut number::skip_blanks(value)),
            b"version:" | b"creator:" | b"part:" | b"thread:" | b"desc:" | b"event:" => {}
            _ => return Err("its key is not known"),
        }
        Ok(())
    }

    /// Begins a part: `events:` is the only line that each part must have.
    fn events(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value);
        let events: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if !self.profile.events.is_empty() && self.profile.events != events {
            self.error = Some(CallgrindError::OtherEvents { line: self.line });
            return;
        }
        let wanted = self.wanted.as_deref();
        let column = events.iter().position(|event| event == wanted.unwrap_or("Ir"));
        match (column, wanted) {
            (Some(column), _) => self.column = column,
            (None, Some(event)) if !events.is_empty() => {
                let event = event.to_owned();
                self.error = Some(CallgrindError::NoEvent { event, counted: events });
                return;
            }
            (None, _) => self.column = 0,
        }
        self.profile.event = events.get(self.column).cloned().unwrap_or_default();
        self.profile.events = events;
        self.profile.parts.push(Part::default());
        self.last = [0; MOST_POSITIONS];
    }

    fn read_positions(&mut self, value: &[u8]) -> Result<(), Wrong> {
        let text = String::from_utf8_lossy(value);
        let names: Vec<&str> = text.split_whitespace().collect();
        if names.is_empty() || names.len() > MOST_POSITIONS {
            return Err("these positions are not known");
        }
        self.positions = names.len();
        self.line_position = names.iter().position(|name| *name == "line");
        Ok(())
    }

    fn part(&mut self) -> &mut Part {
        if self.profile.parts.is_empty() {
            self.profile.parts.push(Part::default());
        }
        self.profile.parts.last_mut().expect("there is one")
    }

    /// The number in the event's column; columns omitted at the end are 0.
    fn column_of(&self, mut text: &[u8]) -> Result<u64, Wrong> {
        let mut found = 0;
        for column in 0.. {
            text = number::skip_blanks(text);
            if text.is_empty() {
                break;
            }
            let value = number::take(&mut text).ok_or("a cost is not a number")?;
            if column == self.column {
                found = value;
            }
        }
        Ok(found)
    }

    /// A cost line: positions, then a number for each event.
    fn cost(&mut self, mut text: &[u8]) -> Result<(), Wrong> {
        let next = std::mem::replace(&mut self.here.next, Next::Function);
        for position in &mut self.last[..self.positions] {
            text = number::skip_blanks(text);
            *position =
                number::take_position(&mut text, *position).ok_or("a position is not a number")?;
        }
        if !matches!(text.first(), None | Some(b' ' | b'\t')) {
            return Err("a position is not a number");
        }
        let cost = self.column_of(text)?;
        match next {
            Next::Function => self.add_cost(cost),
            Next::Calls(count) => self.add_calls(count, cost),
            Next::Jump => Ok(()),
        }
    }

    fn add_cost(&mut self, cost: u64) -> Result<(), Wrong> {
        let function = match self.here.function {
            Some(function) => function,
            None => {
                let name = self.names.keep(UNKNOWN.as_bytes());
                let place = self.place((self.here.object, self.here.file, name));
                *self.here.function.insert(place)
            }
        };
        let own = &mut self.profile.functions[function as usize].self_cost;
        let sum = own.checked_add(cost);
        *own = sum.unwrap_or(*own);
        let part = self.part();
        let whole = part.read.checked_add(cost);
        part.read = whole.unwrap_or(part.read);
        if sum.is_none() || whole.is_none() {
            self.error = Some(CallgrindError::Overflow { line: self.line });
            return Ok(());
        }
        let line = self.line_position.map_or(0, |position| self.last[position]);
        let entry = LineCost { function, file: self.here.file, line, cost };
        push(&mut self.profile.lines, entry, &mut self.added_lines);
        Ok(())
    }

    fn add_calls(&mut self, count: u64, inclusive_cost: u64) -> Result<(), Wrong> {
        let (caller, called) = (self.here.function, self.here.called);
        let object = self.here.called_object.unwrap_or(self.here.object);
        let file = self.here.called_file.unwrap_or(self.here.file);
        self.forget_callee();
        let (Some(caller), Some(called)) = (caller, called) else {
            return Err("the calls have no caller or no callee");
        };
        let callee = self.place((object, file, called));
        let call = Call { caller, callee, count, inclusive_cost };
        push(&mut self.profile.calls, call, &mut self.added_calls);
        Ok(())
    }

    /// Clears the callee: attributes not given for the next one are the caller's, not the old ones.
    fn forget_callee(&mut self) {
        self.here.called_object = None;
        self.here.called_file = None;
        self.here.called = None;
    }

    fn place(&mut self, key: (Name, Name, Name)) -> u32 {
        let (object, file, name) = key;
        let number = name.0 as usize;
        if let Some(Some((at, of, place))) = self.last_places.get(number)
            && (*at, *of) == (object, file)
        {
            return *place;
        }
        let functions = &mut self.profile.functions;
        let place = *self.places.entry(key).or_insert_with(|| {
            functions.push(Function { object, file, name, self_cost: 0 });
            u32::try_from(functions.len() - 1).expect("fewer functions than bytes of memory")
        });
        if self.last_places.len() <= number {
            self.last_places.resize(number + 1, None);
        }
        self.last_places[number] = Some((object, file, place));
        place
    }
}

/// An entry that can be added to others of the same place.
trait Addable: Copy {
    /// Its place.
    type Place: Ord;
    fn place(&self) -> Self::Place;
    fn add(&mut self, other: &Self);
}

impl Addable for LineCost {
    type Place = (u32, Name, u64);
    fn place(&self) -> Self::Place {
        (self.function, self.file, self.line)
    }
    fn add(&mut self, other: &Self) {
        // At most the function's sum, which was checked.
        self.cost += other.cost;
    }
}

impl Addable for Call {
    type Place = (u32, u32);
    fn place(&self) -> Self::Place {
        (self.caller, self.callee)
    }
    fn add(&mut self, other: &Self) {
        // Saturated counts are meaningless: see `inclusive`.
        self.count = self.count.saturating_add(other.count);
        self.inclusive_cost = self.inclusive_cost.saturating_add(other.inclusive_cost);
    }
}

/// Appends an entry, and merges the list when it has grown large.
fn push<T: Addable>(list: &mut Vec<T>, entry: T, limit: &mut usize) {
    match list.last_mut() {
        Some(last) if last.place() == entry.place() => last.add(&entry),
        _ => list.push(entry),
    }
    if list.len() >= *limit {
        add_up(list);
        *limit = (2 * list.len()).max(FIRST_ADDITION);
    }
}

/// Sorts the entries by place, and merges those with the same place.
fn add_up<T: Addable>(list: &mut Vec<T>) {
    list.sort_unstable_by_key(Addable::place);
    list.dedup_by(|entry, kept| {
        let same = entry.place() == kept.place();
        if same {
            kept.add(entry);
        }
        same
    });
}
