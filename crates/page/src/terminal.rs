//! A page on a terminal of any width: styled text without hidden characters, laid out in columns.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use crate::plain::plain;
use crate::sparkline::sparkline;
use crate::{
    Align, Block, Code, Column, Label, Line, Narrow, Page, Role, Row, Section, Span, Spark, Table,
    Tone,
};

/// The style of a tone.
pub fn style_of(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => Style::new().bold(),
        Tone::Quiet => Style::new().dimmed(),
        Tone::Good => AnsiColor::Green.on_default().bold(),
        Tone::Bad => AnsiColor::Red.on_default().bold(),
        Tone::Open => AnsiColor::Yellow.on_default(),
    }
}

/// The style of highlighted words of a language.
const KEYWORD: Style = AnsiColor::Cyan.on_default();

/// The lead of a line of code with a marked part, for terminals without colours.
const POINTER: &str = "> ";

const GAP: &str = "  ";

/// The indentation of a section's blocks.
const INDENT: usize = 3;

/// The treatment of folded sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folds {
    /// They are left out.
    Closed,
    /// They are shown like the others.
    Open,
}

/// The page as text with terminal styles, for a terminal of this number of columns.
pub fn render(page: &Page, columns: usize, folds: Folds) -> String {
    let mut out = Out { text: String::new(), indent: 0, columns, cuts: true, folds, before: None };
    out.blocks(&page.blocks);
    out.text
}

/// The same for output other than a terminal: sentences are wrapped at this number of columns, and
/// columns of tables give way, but no text in them is cut.
pub fn render_whole(page: &Page, columns: usize, folds: Folds) -> String {
    let mut out = Out { text: String::new(), indent: 0, columns, cuts: false, folds, before: None };
    out.blocks(&page.blocks);
    out.text
}

/// The kind of a block, for the empty lines around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Heading,
    Words,
    /// A table, a picture, bars.
    Figure,
    Code,
    Section,
}

fn kind(block: &Block) -> Kind {
    match block {
        Block::Heading(_) => Kind::Heading,
        Block::Answer(_)
        | Block::Sentence(_)
        | Block::Note(..)
        | Block::List(_)
        | Block::Hint(_) => Kind::Words,
        Block::Table(_) | Block::Picture(_) | Block::Art(_) | Block::Spark(_) => Kind::Figure,
        Block::Code(_) | Block::Command(_) => Kind::Code,
        Block::Section(_) => Kind::Section,
    }
}

/// True if an empty line separates two blocks.
fn is_apart(before: &Block, next: &Block) -> bool {
    match (kind(before), kind(next)) {
        (Kind::Heading, _) => false,
        (_, Kind::Heading | Kind::Section) | (Kind::Section, _) => true,
        (Kind::Words, Kind::Words) => false,
        // A title belongs to its table, and bars to the table above them.
        (Kind::Figure, Kind::Figure) => matches!(next, Block::Table(_) | Block::Art(_)),
        (before, next) => before != next || before == Kind::Code,
    }
}

struct Out<'a> {
    text: String,
    indent: usize,
    columns: usize,
    /// Set if text in tables is cut to fit.
    cuts: bool,
    folds: Folds,
    before: Option<&'a Block>,
}

impl<'a> Out<'a> {
    fn blocks(&mut self, blocks: &'a [Block]) {
        let folds = self.folds;
        let is_shown = |block: &&Block| match block {
            Block::Section(section) => folds == Folds::Open || !section.is_folded,
            Block::Hint(_) => folds == Folds::Closed,
            Block::Picture(_) => false,
            _ => true,
        };
        let shown: Vec<&Block> = blocks.iter().filter(is_shown).collect();
        let is_spark = |block: &Block| matches!(block, Block::Spark(_));
        for run in shown.chunk_by(|a, b| is_spark(a) && is_spark(b)) {
            if self.before.is_some_and(|before| is_apart(before, run[0])) {
                self.text.push('\n');
            }
            match run {
                [block] => self.block(block),
                sparks => self.sparks(sparks),
            }
            self.before = run.last().copied();
        }
    }

    fn block(&mut self, block: &'a Block) {
        match block {
            Block::Heading(line) => self.title(line, Tone::Strong),
            Block::Answer(line) | Block::Sentence(line) | Block::Hint(line) => {
                self.wrapped(line, "", "");
            }
            Block::Note(label, line) => self.note(*label, line),
            Block::List(lines) => {
                for line in lines {
                    self.wrapped(line, "* ", "  ");
                }
            }
            Block::Table(table) => self.table(table),
            Block::Code(code) => self.code(code),
            Block::Command(command) => {
                let strong = style_of(Tone::Strong);
                let command = crate::plain::plain(command);
                self.line(&format!("    {strong}{command}{strong:#}"));
            }
            Block::Picture(_) => {}
            Block::Art(art) => {
                self.title(&art.name, Tone::Quiet);
                for line in (art.draw)(self.room()) {
                    self.line(&line);
                }
            }
            Block::Spark(_) => self.sparks(&[block]),
            Block::Section(section) => self.section(section),
        }
    }

    fn room(&self) -> usize {
        self.columns.saturating_sub(self.indent)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", self.indent);
    }

    /// Writes a sentence in as many lines as it needs; `first` and `later` precede them.
    fn wrapped(&mut self, line: &Line, first: &str, later: &str) {
        let room = self.room().saturating_sub(width(first));
        for (number, line) in wrap_line(line, room, Quotes::Code).iter().enumerate() {
            let lead = if number == 0 { first } else { later };
            self.line(&format!("{lead}{}", styled(line)));
        }
    }

    /// Writes a title in its own tone.
    fn title(&mut self, line: &Line, tone: Tone) {
        for line in wrap_line(&line.clone().toned(tone), self.room(), Quotes::Nothing) {
            self.line(&styled(&line));
        }
    }

    fn note(&mut self, label: Label, line: &Line) {
        let style = style_of(label.tone);
        let word = label.word;
        let room = self.room().saturating_sub(width(word) + 2);
        for (number, line) in wrap_line(line, room, Quotes::Code).iter().enumerate() {
            let line = styled(line);
            match number {
                0 => self.line(&format!("{style}{word}:{style:#} {line}")),
                _ => self.line(&format!("{:1$}{line}", "", width(word) + 2)),
            }
        }
    }

    fn section(&mut self, section: &'a Section) {
        self.title(&section.title, Tone::Strong);
        self.indent += INDENT;
        self.before = None;
        self.blocks(&section.blocks);
        self.indent -= INDENT;
    }

    fn code(&mut self, code: &Code) {
        if !code.label.is_empty() {
            let quiet = style_of(Tone::Quiet);
            self.line(&format!("{quiet}{}{quiet:#}", code.label));
        }
        let mark = style_of(Tone::Open).bold();
        let mut start = 0;
        for line in code.text.split('\n') {
            let end = start + line.len();
            // The line in which a mark begins has a pointer; a mark over many lines has only one.
            let is_marked = code.marks.iter().any(|mark| start <= mark[0] && mark[0] < end);
            let lead = if is_marked { POINTER } else { "  " };
            let room = self.room().saturating_sub(POINTER.len());
            let shown = coloured(&shorten(line, room), start, code);
            self.line(format!("{mark}{lead}{mark:#}{shown}").trim_end());
            start = end + 1;
        }
    }

    /// Writes bars below each other, with their names in a column.
    fn sparks(&mut self, run: &[&Block]) {
        let sparks: Vec<(&Spark, Cell)> = run
            .iter()
            .filter_map(|block| match block {
                Block::Spark(spark) => {
                    Some((spark, cell(&spark.name.clone().toned(Tone::Quiet), None, Narrow::End)))
                }
                _ => None,
            })
            .collect();
        let names = sparks.iter().map(|(_, name)| width(&name.plain)).max().unwrap_or(0);
        let room = self.room().saturating_sub(names + GAP.len());
        for (spark, name) in &sparks {
            let gap = names - width(&name.plain);
            let bars = sparkline(&spark.values, room, spark.heights);
            self.line(&format!("{}{:gap$}{GAP}{bars}", name.styled, ""));
        }
    }

    fn table(&mut self, table: &Table) {
        if !table.title.is_empty() {
            self.title(&table.title, Tone::Strong);
        }
        let (rows, more) = listed(table);
        let room = self.room();
        let room = Room { columns: room, cuts: self.cuts };
        for line in lines(&table.columns, &rows, room, table.continues) {
            self.line(&line);
        }
        if more > 0 {
            let quiet = style_of(Tone::Quiet);
            self.line(&format!("{quiet}and {more} more; the exports have all{quiet:#}"));
        }
        for line in &table.foot {
            self.wrapped(&line.clone().toned(Tone::Quiet), "", "");
        }
    }
}

fn styled(line: &Line) -> String {
    let mut text = String::new();
    let mut pieces = shown(line, Quotes::Nothing).into_iter().peekable();
    while let Some(mut piece) = pieces.next() {
        while let Some(next) = pieces.next_if(|next| next.tone == piece.tone) {
            piece.text.push_str(&next.text);
        }
        let style = style_of(piece.tone);
        let _ = write!(text, "{style}{}{style:#}", piece.text);
    }
    text
}

/// The same on one line.
fn one_line(line: &Line) -> Line {
    let mut line = line.clone();
    for span in line.0.iter_mut().filter(|span| span.text.contains('\n')) {
        span.text = span.text.replace('\n', " ").into();
    }
    line
}

/// A line of code with the marked parts in one colour, keywords in another. `start` is its offset.
fn coloured(line: &str, start: usize, code: &Code) -> String {
    let mark = style_of(Tone::Open).bold();
    let is_marked = |at: usize| code.marks.iter().any(|mark| mark[0] <= at && at < mark[1]);
    let mut text = String::new();
    let mut rest = line;
    let mut at = start;
    while !rest.is_empty() {
        let is_space = rest.starts_with(' ');
        let end = rest.find(|letter| (letter == ' ') != is_space).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let shown = crate::plain::plain(word);
        let _ = match is_space {
            true => write!(text, "{word}"),
            false if is_marked(at) => write!(text, "{mark}{shown}{mark:#}"),
            false if code.keywords.contains(&word) => write!(text, "{KEYWORD}{shown}{KEYWORD:#}"),
            false => write!(text, "{shown}"),
        };
        at += word.len();
        rest = after;
    }
    text
}

/// A cell as shown: its text, without and with styles.
#[derive(Default)]
struct Cell {
    plain: String,
    styled: String,
}

fn cell(line: &Line, most: Option<usize>, narrow: Narrow) -> Cell {
    let line = one_line(line);
    let plain: String = shown(&line, Quotes::Nothing).into_iter().map(|piece| piece.text).collect();
    match most.filter(|most| width(&plain) > *most) {
        Some(most) => {
            let tone = line.0.first().map_or(Tone::Plain, |span| span.tone);
            let plain = match narrow {
                Narrow::Middle => shorten_middle(&plain, most),
                Narrow::End | Narrow::Wrapped => shorten(&plain, most),
            };
            let style = style_of(tone);
            Cell { styled: format!("{style}{plain}{style:#}"), plain }
        }
        None => Cell { styled: styled(&line), plain },
    }
}

/// The rows that are shown, and the number of omitted rows at the end. If there are too many, rows
/// that give way are replaced by their number.
fn listed(table: &Table) -> (Cow<'_, [Row]>, usize) {
    let most = table.most_rows.unwrap_or(usize::MAX).min(table.rows.len());
    let more = table.rows.len() - most;
    if more == 0 || !table.rows.iter().any(|row| row.gives_way) {
        return (Cow::Borrowed(&table.rows[..most]), more);
    }
    let mut rows = Vec::new();
    for run in table.rows.chunk_by(|a, b| a.gives_way == b.gives_way) {
        if run[0].gives_way {
            let count = Line::from(format!("{} more", run.len()));
            rows.push(Row::from_iter(["…".into(), count.toned(Tone::Quiet)]));
        } else {
            rows.extend_from_slice(run);
        }
    }
    (Cow::Owned(rows), 0)
}

/// The room for a table.
#[derive(Debug, Clone, Copy)]
struct Room {
    columns: usize,
    /// Set if text is cut to fit.
    cuts: bool,
}

/// The lines of a table in the columns of a terminal: first text is cut, then columns give way, or
/// move below if the table `continues`.
fn lines(columns: &[Column], rows: &[Row], room: Room, continues: bool) -> Vec<String> {
    let mut open: Vec<usize> = (0..columns.len()).collect();
    let mut lines = Vec::new();
    loop {
        let (left, mut widths) = fitting(columns, rows, room.columns, open.clone(), continues);
        for (place, width) in left.iter().zip(&mut widths).filter(|_| !room.cuts) {
            *width = (*width).max(whole(columns, rows, *place));
        }
        lines.extend(laid_out(columns, rows, &left, &widths));
        let is_key = |place: usize| columns[place].gives_way.is_none();
        open.retain(|&place| is_key(place) || !left.contains(&place));
        if !continues || open.iter().all(|&place| is_key(place)) {
            return lines;
        }
        lines.push(String::new());
    }
}

/// The columns that fit, and their widths. Those that give way last always stay if `keeps_some` is
/// set.
fn fitting(
    columns: &[Column],
    rows: &[Row],
    room: usize,
    mut left: Vec<usize>,
    keeps_some: bool,
) -> (Vec<usize>, Vec<usize>) {
    let orders =
        |left: &[usize]| left.iter().filter_map(|&at| columns[at].gives_way).collect::<Vec<_>>();
    let last = orders(&left).into_iter().max().filter(|_| keeps_some);
    loop {
        let natural: Vec<usize> = left.iter().map(|&place| natural(columns, rows, place)).collect();
        let gaps = GAP.len() * left.len().saturating_sub(1);
        let wide: usize = natural.iter().sum::<usize>() + gaps;
        let spare: usize = left
            .iter()
            .zip(&natural)
            .map(|(&place, wide)| {
                columns[place].cut.map_or(0, |(least, _)| wide.saturating_sub(least))
            })
            .sum();
        match orders(&left).into_iter().min() {
            Some(order) if wide > room + spare && Some(order) != last => {
                left.retain(|&place| columns[place].gives_way != Some(order));
            }
            _ => {
                let widths = cut_to(columns, &left, natural, wide.saturating_sub(room));
                return (left, widths);
            }
        }
    }
}

/// The preferred width of a column.
fn natural(columns: &[Column], rows: &[Row], place: usize) -> usize {
    let column = &columns[place];
    let most = column.cut.map(|(_, most)| most);
    let cells = rows.iter().filter_map(|row| row.cells.get(place));
    let lines = cells.chain([&column.heading]);
    lines.map(|line| width(&cell(line, most, column.narrow).plain)).max().unwrap_or(0)
}

/// The width of a column without cuts; 0 if its text is wrapped.
fn whole(columns: &[Column], rows: &[Row], place: usize) -> usize {
    let cells = rows.iter().filter_map(|row| row.cells.get(place));
    let cells = cells.filter(|_| columns[place].narrow != Narrow::Wrapped);
    cells.map(|line| width(&cell(line, None, Narrow::End).plain)).max().unwrap_or(0)
}

/// The widths after taking `excess` from the columns that may be cut, the widest first.
fn cut_to(
    columns: &[Column],
    left: &[usize],
    mut widths: Vec<usize>,
    mut excess: usize,
) -> Vec<usize> {
    while excess > 0 {
        let may_shrink = (0..left.len())
            .filter(|&at| columns[left[at]].cut.is_some_and(|(least, _)| widths[at] > least));
        let Some(widest) = may_shrink.max_by_key(|&at| widths[at]) else { break };
        widths[widest] -= 1;
        excess -= 1;
    }
    widths
}

fn laid_out(columns: &[Column], rows: &[Row], left: &[usize], widths: &[usize]) -> Vec<String> {
    let has_headings = columns.iter().any(|column| !column.heading.is_empty());
    let headings: Row =
        columns.iter().map(|column| column.heading.clone().toned(Tone::Quiet)).collect();
    let shown = has_headings.then_some(&headings).into_iter().chain(rows);
    shown.flat_map(|row| row_lines(columns, row, left, widths)).collect()
}

/// The lines of a row: one, and further ones below for wrapped text.
fn row_lines(columns: &[Column], row: &Row, left: &[usize], widths: &[usize]) -> Vec<String> {
    let cells: Vec<Vec<Cell>> = left
        .iter()
        .zip(widths)
        .map(|(&place, &most)| {
            let Column { cut, narrow, .. } = &columns[place];
            let Some(line) = row.cells.get(place) else { return Vec::new() };
            match narrow {
                Narrow::Wrapped => {
                    let lines = wrap_line(line, most, Quotes::Nothing);
                    lines.iter().map(|line| cell(line, None, *narrow)).collect()
                }
                _ => vec![cell(line, cut.map(|_| most), *narrow)],
            }
        })
        .collect();
    let count = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let line = |at: usize| cells.iter().map(move |cells| cells.get(at)).collect::<Vec<_>>();
    (0..count).map(|at| row_line(columns, &line(at), left, widths)).collect()
}

fn row_line(
    columns: &[Column],
    cells: &[Option<&Cell>],
    left: &[usize],
    widths: &[usize],
) -> String {
    let empty = Cell::default();
    let cells: Vec<&Cell> = cells.iter().map(|cell| cell.unwrap_or(&empty)).collect();
    let last = cells.iter().rposition(|cell| !cell.plain.is_empty());
    let mut line = String::new();
    for (at, cell) in cells.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
        if at > 0 {
            line.push_str(GAP);
        }
        let padding = widths[at].saturating_sub(width(&cell.plain));
        match columns[left[at]].align {
            Align::Right => {
                let _ = write!(line, "{:padding$}{}", "", cell.styled);
            }
            Align::Left if Some(at) == last => line.push_str(&cell.styled),
            Align::Left => {
                let _ = write!(line, "{}{:padding$}", cell.styled, "");
            }
        }
    }
    line
}

/// The number of columns of a text.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` cut to `width` columns, with an ellipsis at the end if anything is missing.
pub fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut taken = 0;
    for character in text.chars() {
        let mut buffer = [0; 4];
        taken += character.encode_utf8(&mut buffer).width();
        if taken + 1 > width {
            break;
        }
        kept.push(character);
    }
    kept + "…"
}

/// `text` cut to `width` columns, with an ellipsis in its middle if anything is missing. Two thirds
/// of the kept text are its beginning.
pub fn shorten_middle(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width / 3;
    let mut start = text.len();
    let fits = |(at, _): &(usize, char)| text[*at..].width() <= room;
    for (at, _) in text.char_indices().rev().take_while(fits) {
        start = at;
    }
    shorten(text, width - text[start..].width()) + &text[start..]
}

/// A piece of text without hidden characters, with its tone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

/// The marking of code among other words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// By backquotes, in sentences.
    Code,
    /// None, in cells and titles, which stand apart.
    Nothing,
}

/// The spans without hidden characters, as a terminal shows them.
pub(crate) fn shown(line: &Line, quotes: Quotes) -> Vec<Shown> {
    let one = |span: &Span| {
        let text = match (quotes, &span.role) {
            (Quotes::Code, Role::Code) => format!("`{}`", visible(span)),
            _ => visible(span).into_owned(),
        };
        Shown { text, tone: span.tone }
    };
    line.0.iter().map(one).collect()
}

fn visible(span: &Span) -> Cow<'_, str> {
    match span.role {
        Role::Words | Role::Quantity(_) => Cow::Borrowed(&span.text),
        Role::Foreign
        | Role::Code
        | Role::Commit(_)
        | Role::Link(_)
        | Role::Beside(_)
        | Role::Choice(_) => plain(&span.text),
    }
}

/// The spans in lines of at most `columns`, cut between words, without hidden characters.
pub(crate) fn wrap_line(line: &Line, columns: usize, quotes: Quotes) -> Vec<Line> {
    let columns = columns.max(20);
    let mut lines = vec![Line::default()];
    let mut taken = None;
    for Word { breaks, pieces } in words(line, quotes) {
        let wide: usize = pieces.iter().map(|piece| piece.text.width()).sum();
        match taken {
            Some(before) if !breaks && before + 1 + wide <= columns => {
                let tone = pieces.first().map_or(Tone::Plain, |piece| piece.tone);
                lines.last_mut().expect("never empty").push(Span::from(" ").toned(tone));
                taken = Some(before + 1 + wide);
            }
            Some(_) => {
                lines.push(Line::default());
                taken = Some(wide);
            }
            None => taken = Some(wide),
        }
        let spans = pieces.into_iter().map(|Shown { text, tone }| Span::from(text).toned(tone));
        lines.last_mut().expect("never empty").0.extend(spans);
    }
    lines
}

/// The text between two spaces; it may consist of several spans.
#[derive(Default)]
struct Word {
    /// Set if it always begins a new line.
    breaks: bool,
    pieces: Vec<Shown>,
}

fn words(line: &Line, quotes: Quotes) -> Vec<Word> {
    let mut words = vec![Word::default()];
    for Shown { text, tone } in shown(line, quotes) {
        let mut rest = &*text;
        loop {
            let end = rest.find([' ', '\n']).unwrap_or(rest.len());
            let (part, after) = rest.split_at(end);
            if !part.is_empty() {
                let pieces = &mut words.last_mut().expect("never empty").pieces;
                pieces.push(Shown { text: part.to_owned(), tone });
            }
            let Some(separator) = after.chars().next() else { break };
            words.push(Word { breaks: separator == '\n', ..Word::default() });
            rest = &after[1..];
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn sentences_are_cut_between_words() {
        let wrap = |line: &Line| -> Vec<String> {
            wrap_line(line, 20, Quotes::Code).iter().map(Line::text).collect()
        };
        assert_eq!(wrap(&line!["aaaa bbbb cccc dddd eeee"]), ["aaaa bbbb cccc dddd", "eeee"]);
        assert_eq!(wrap(&Line::default()), [""]);
        let spans = line!["aaaa bbbb (", Span::code("c"), ") dddd eeee"];
        assert_eq!(wrap(&spans), ["aaaa bbbb (`c`) dddd", "eeee"]);
    }

    #[test]
    fn long_text_ends_in_an_ellipsis() {
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abcdefg", 6), "abcde…");
        assert_eq!(shorten("日本語", 4), "日…");
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shorten_middle("abcdef", 6), "abcdef");
        assert_eq!(shorten_middle("abcdefghij", 6), "abc…ij");
        assert_eq!(shorten_middle("größte…Menge", 7), "größ…ge");
        assert_eq!(shorten_middle("日本語日本語", 7), "日本…語");
    }

    #[test]
    fn what_is_hidden_in_the_text_of_others_is_shown_by_its_number() {
        let lines = wrap_line(&line!["said ", "a\u{1b}[2Jb".to_owned()], 40, Quotes::Code);
        assert_eq!(lines[0].text(), "said a\\u{1b}[2Jb");
    }
}
