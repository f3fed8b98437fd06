//! Callgrind's counts: instructions executed by function and by line, and the calls between
//! functions.
//!
//! Format: the manual of Valgrind 3.19, "Callgrind Format Specification". A file has parts, one for
//! each dump; a part has a header, then cost lines below lines that name object, file and function.
//! Names are given once and then by number; positions are relative to those of the line before.
//! Cachegrind's files have the same form, without calls.
//!
//! Costs are those of one event, by default `Ir`, the instructions. Self costs are exact. Inclusive
//! costs are what calls cost until they returned, and are meaningless in programs whose calls do
//! not return, such as those of GHC.

use std::collections::HashMap;

use memchr::memchr_iter;

/// The costs of one run of one process, by function, line and call, in one event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// The event of all costs here, such as `Ir`.
    pub event: String,
    /// All events of the file.
    pub events: Vec<String>,
    /// The command, as callgrind writes it; empty if the file does not give it.
    pub command: String,
    /// The process id, if the file gives it.
    pub process: Option<u64>,
    /// Every function that the file mentions.
    pub functions: Vec<Function>,
    /// The costs of lines, by function, file and line; each once.
    pub lines: Vec<LineCost>,
    /// The calls, by caller and callee; each pair once.
    pub calls: Vec<Call>,
    /// The totals that each part of the file states, and the sums of its lines.
    pub parts: Vec<Part>,
    /// The first of the lines that could not be read.
    pub problems: Vec<Problem>,
    /// The number of lines that could not be read.
    pub unread_lines: u64,
    objects: Vec<String>,
    files: Vec<String>,
    names: Vec<String>,
}

/// A function, distinguished as in the file: by object, source file and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The executable or library that it is in.
    pub object: Name,
    /// The source file that it is defined in.
    pub file: Name,
    /// Its name, as the file has it.
    pub name: Name,
    /// The cost of its own instructions, without those of its callees.
    pub self_cost: u64,
}

/// The cost of one line within one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineCost {
    /// The index of the function.
    pub function: u32,
    /// The source file of the line; differs from the function's if the code was inlined.
    pub file: Name,
    /// The line, from 1; 0 if unknown.
    pub line: u64,
    /// The cost.
    pub cost: u64,
}

/// All calls of one function by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The index of the caller.
    pub caller: u32,
    /// The index of the callee.
    pub callee: u32,
    /// The number of calls.
    pub count: u64,
    /// The cost of the calls, including everything that they called.
    pub inclusive_cost: u64,
}

/// The totals that a part of the file states, and the sum that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part {
    /// The line `summary:`.
    pub summary: Option<u64>,
    /// The line `totals:`, which callgrind writes last.
    pub totals: Option<u64>,
    /// The sum of the costs that were read.
    pub read: u64,
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line number, from 1.
    pub line: u64,
    /// The fault.
    pub what: &'static str,
}

/// The comparison of the costs that were read with the totals that the file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Exactly equal.
    Exact,
    /// The lines add up to something else.
    Differs {
        /// The total that the file states.
        stated: u64,
        /// The sum of its lines.
        read: u64,
    },
    /// The file states no total; it may be cut off.
    NotStated,
}

/// The reason that the file has no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum CallgrindError {
    #[error("it names no events, so it is not output of callgrind")]
    NoEvents,
    #[error("it does not count `{event}`, only {}", counted.join(", "))]
    NoEvent { event: String, counted: Vec<String> },
    #[error("line {line}: the events change within the file")]
    OtherEvents { line: u64 },
    #[error("line {line}: the costs need more than 64 bits")]
    Overflow { line: u64 },
    #[error("there are no costs in it: the program was ended before callgrind could write them")]
    NoCosts,
}

impl Profile {
    /// The cost of all functions together.
    pub fn total(&self) -> u64 {
        self.parts.iter().map(|part| part.read).sum()
    }

    /// The path of an object.
    pub fn object(&self, name: Name) -> &str {
        &self.objects[name.0 as usize]
    }

    /// The path of a source file; `???` if unknown.
    pub fn file(&self, name: Name) -> &str {
        &self.files[name.0 as usize]
    }

    /// The name of a function, as the file has it.
    pub fn name(&self, name: Name) -> &str {
        &self.names[name.0 as usize]
    }

    /// True if a function is not a deeper level of recursion, such as `f'2`.
    pub fn is_first_level(&self, function: &Function) -> bool {
        !self.name(function.name).contains('\'')
    }

    /// Compares the costs that were read with the totals that the file states. Calls do not count:
    /// their costs are those of other functions.
    pub fn agreement(&self) -> Agreement {
        let stated = self.parts.iter().map(|part| part.totals.or(part.summary));
        let read = self.total();
        match stated.sum::<Option<u64>>() {
            Some(stated) if stated == read => Agreement::Exact,
            Some(stated) => Agreement::Differs { stated, read },
            None => Agreement::NotStated,
        }
    }
}

/// The reason that inclusive costs are meaningless here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoInclusive {
    /// The file has no calls.
    #[error("the profile has no calls")]
    NoCalls,
    /// Calls do not return where callgrind expects it, or recursion was counted several times.
    #[error(
        "calls do not return to their callers (tail calls), so that a function would cost more than \
         the whole program"
    )]
    BeyondTheTotal,
}

/// The cost of each function including everything that it calls, indexed like the functions; a
/// deeper level of recursion (`f'2`) is part of `f`.
pub fn inclusive(profile: &Profile) -> Result<Vec<u64>, NoInclusive> {
    if profile.calls.is_empty() {
        return Err(NoInclusive::NoCalls);
    }
    let mut costs: Vec<u64> = profile.functions.iter().map(|f| f.self_cost).collect();
    for call in &profile.calls {
        let cost = &mut costs[call.caller as usize];
        *cost = cost.saturating_add(call.inclusive_cost);
    }
    let total = profile.total();
    let mut all = profile.functions.iter().zip(&costs);
    match all.any(|(function, &cost)| cost > total && profile.is_first_level(function)) {
        true => Err(NoInclusive::BeyondTheTotal),
        false => Ok(costs),
    }
}

/// A name of a profile: its index among the names of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

/// The names of one kind.
#[derive(Debug, Default)]
struct Names {
    texts: Vec<String>,
    places: HashMap<Box<[u8]>, Name>,
    /// The names behind the file's numbers.
    numbered: Numbered,
}

/// Names by number. Callgrind counts from 0, so nearly all numbers are small.
#[derive(Debug, Default)]
struct Numbered {
    near: Vec<Option<Name>>,
    far: HashMap<u64, Name>,
}

/// Numbers below this, or below twice the length of the vector, go into the vector.
const NEAR: usize = 1 << 16;

impl Numbered {
    fn get(&self, number: u64) -> Option<Name> {
        let near = usize::try_from(number).ok().and_then(|number| self.near.get(number));
        near.copied().flatten().or_else(|| self.far.get(&number).copied())
    }

    fn set(&mut self, number: u64, name: Name) {
        let limit = NEAR.max(2 * self.near.len());
        match usize::try_from(number) {
            Ok(near) if near < limit => {
                if self.near.len() <= near {
                    self.near.resize(near + 1, None);
                }
                self.near[near] = Some(name);
            }
            _ => _ = self.far.insert(number, name),
        }
    }
}

impl Names {
    /// The name that `text`, the part after the `=`, refers to: `(12) main`, `(12)` or `main`;
    /// `None` if its number was never given a name.
    fn read(&mut self, text: &[u8]) -> Option<Name> {
        let text = skip_blanks(text);
        let Some((id, name)) = numbered(text) else { return Some(self.keep(text)) };
        if name.is_empty() {
            return self.numbered.get(id);
        }
        let name = self.keep(name);
        self.numbered.set(id, name);
        Some(name)
    }

    /// Stores a name and returns its index; names are equal if their bytes are.
    fn keep(&mut self, bytes: &[u8]) -> Name {
        if let Some(name) = self.places.get(bytes) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).expect("fewer names than bytes of memory"));
        self.texts.push(String::from_utf8_lossy(bytes).into_owned());
        self.places.insert(bytes.into(), name);
        name
    }

    /// The placeholder for an unknown name, as in callgrind's own files.
    fn unknown(&mut self) -> Name {
        self.keep(b"???")
    }
}

/// The number and the rest of `(12) rest`. A name may begin with a bracket, too: `(below main)`.
fn numbered(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut rest = text.strip_prefix(b"(")?;
    let id = take_number(&mut rest)?;
    Some((id, skip_blanks(rest.strip_prefix(b")")?)))
}

/// Takes a number, decimal or hexadecimal after `0x`, off the front of `text`; `None` if it does
/// not begin with one, or the number needs more than 64 bits.
fn take_number(text: &mut &[u8]) -> Option<u64> {
    if let Some(digits) = text.strip_prefix(b"0x") {
        let length = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let value = std::str::from_utf8(&digits[..length]).ok()?;
        *text = &digits[length..];
        return u64::from_str_radix(value, 16).ok();
    }
    let mut value: u64 = 0;
    let mut length = 0;
    while let Some(digit) = text.get(length).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
    {
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        length += 1;
    }
    *text = &text[length..];
    (length > 0).then_some(value)
}

/// Takes a position off the front: a number, `*` for that of the line before, or a signed distance
/// from it.
fn take_position(text: &mut &[u8], before: u64) -> Option<u64> {
    match text.first()? {
        b'*' => {
            *text = &text[1..];
            Some(before)
        }
        sign @ (b'+' | b'-') => {
            *text = &text[1..];
            let distance = take_number(text)?;
            match sign {
                b'+' => before.checked_add(distance),
                _ => before.checked_sub(distance),
            }
        }
        _ => take_number(text),
    }
}

/// The text without leading blanks.
fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[blanks..]
}

/// The number of unreadable lines that are kept for messages.
const MOST_PROBLEMS: usize = 5;

/// Entries are merged when this many have accumulated, and again whenever they have doubled.
const FIRST_ADDITION: usize = 1 << 20;

/// The largest number of position columns, as named in the line `positions:`.
const MOST_POSITIONS: usize = 3;

/// The reader of a file in pieces: files of hundreds of megabytes need no more memory than their
/// distinct contents.
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
    callee: Callee,
    next: Next,
}

/// The callee of the next calls, as far as it is named; the rest is the caller's.
#[derive(Debug, Default)]
struct Callee {
    object: Option<Name>,
    file: Option<Name>,
    name: Option<Name>,
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
    pub fn new(event: Option<&str>) -> Self {
        let (mut objects, mut files) = (Names::default(), Names::default());
        let here = Here {
            object: objects.unknown(),
            file: files.unknown(),
            function: None,
            callee: Callee::default(),
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
        self.profile.objects = self.objects.texts;
        self.profile.files = self.files.texts;
        self.profile.names = self.names.texts;
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
                let name = known.unwrap_or_else(|| self.names.unknown());
                self.here.function = Some(self.place(self.here.object, self.here.file, name));
                self.here.next = Next::Function;
                self.here.callee = Callee::default();
                known.ok_or(NO_NAME)?;
            }
            // The callee's file and object do not apply to the lines that follow.
            b"fl=" | b"fi=" | b"fe=" => {
                let known = self.files.read(value);
                self.here.file = known.unwrap_or_else(|| self.files.unknown());
                known.ok_or(NO_NAME)?;
            }
            b"ob=" => {
                let known = self.objects.read(value);
                self.here.object = known.unwrap_or_else(|| self.objects.unknown());
                known.ok_or(NO_NAME)?;
            }
            b"cob=" => self.here.callee.object = self.objects.read(value),
            b"cfl=" | b"cfi=" => self.here.callee.file = self.files.read(value),
            b"cfn=" => {
                self.here.callee.name = self.names.read(value);
                self.here.callee.name.ok_or(NO_NAME)?;
            }
            b"calls=" => {
                let count = take_number(&mut skip_blanks(value));
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
                    String::from_utf8_lossy(skip_blanks(value)).trim_end().to_owned();
            }
            b"pid:" => self.profile.process = take_number(&mut skip_blanks(value)),
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
            text = skip_blanks(text);
            if text.is_empty() {
                break;
            }
            let value = take_number(&mut text).ok_or("a cost is not a number")?;
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
            text = skip_blanks(text);
            *position = take_position(&mut text, *position).ok_or("a position is not a number")?;
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
                let name = self.names.unknown();
                let place = self.place(self.here.object, self.here.file, name);
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
        let callee = std::mem::take(&mut self.here.callee);
        let (Some(caller), Some(name)) = (self.here.function, callee.name) else {
            return Err("the calls have no caller or no callee");
        };
        let object = callee.object.unwrap_or(self.here.object);
        let callee = self.place(object, callee.file.unwrap_or(self.here.file), name);
        let call = Call { caller, callee, count, inclusive_cost };
        push(&mut self.profile.calls, call, &mut self.added_calls);
        Ok(())
    }

    fn place(&mut self, object: Name, file: Name, name: Name) -> u32 {
        let number = name.0 as usize;
        if let Some(Some((at, of, place))) = self.last_places.get(number)
            && (*at, *of) == (object, file)
        {
            return *place;
        }
        let functions = &mut self.profile.functions;
        let place = *self.places.entry((object, file, name)).or_insert_with(|| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_their_digits_do() {
        for (text, value, rest) in [
            ("12 3", Some(12), " 3"),
            ("0x1fg", Some(0x1f), "g"),
            ("0", Some(0), ""),
            ("18446744073709551615", Some(u64::MAX), ""),
        ] {
            let mut bytes = text.as_bytes();
            assert_eq!(take_number(&mut bytes), value, "{text}");
            assert_eq!(bytes, rest.as_bytes(), "{text}");
        }
        for text in ["", "x", "18446744073709551616", "0x", "0x1ffffffffffffffff"] {
            assert_eq!(take_number(&mut text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn positions_are_relative_where_they_have_a_sign() {
        for (text, value) in [("7", Some(7)), ("*", Some(10)), ("+3", Some(13)), ("-10", Some(0))] {
            assert_eq!(take_position(&mut text.as_bytes(), 10), value, "{text}");
        }
        for text in ["-11", "+18446744073709551615", "+", ""] {
            assert_eq!(take_position(&mut text.as_bytes(), 10), None, "{text}");
        }
    }
}
