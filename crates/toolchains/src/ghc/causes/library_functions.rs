//! Functions of libraries that cost more than it seems where they are used, and what to use instead.

use super::spelled::Spelled;

/// Functions of libraries that are costly for one reason.
#[derive(Debug)]
pub(super) struct Costly {
    /// What it is called in sentences.
    pub(super) shown: &'static str,
    /// The functions as a running program has them: modules, as of GHC 9.0 (later versions put
    /// `GHC.Internal.` in place of `GHC.`), and names without worker, copy and number.
    pub(super) functions: &'static [(&'static str, &'static [&'static str])],
    /// The names by which Core mentions them.
    pub(super) mentions: &'static [&'static str],
    /// When using them is costly.
    pub(super) when: When,
    /// Of what goes through a list: so many seconds at most on the average are a few elements, and what
    /// would replace it takes as long. A cell of a list takes 2 ns where it is in the cache, and comparing
    /// a short text 20 ns.
    pub(super) short_seconds: Option<f64>,
    /// Whether it is costly only where it gets the list that it got before.
    pub(super) counts: bool,
    /// What shows it where GHC has inlined it.
    pub(super) inlined: Inlined,
    /// How a program's text names it where nothing else of it is left.
    pub(super) spelled: Option<Spelled>,
    /// The least share of the time with which it is a finding: [`LEAST`], or more where much of it may
    /// be what the program is for.
    pub(super) least: f64,
    /// What is wrong, as the end of a sentence.
    pub(super) what: &'static str,
    /// What to try.
    pub(super) remedy: &'static str,
    /// Why GHC does not do it.
    pub(super) why: &'static str,
}

/// When using a function is costly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Even once.
    Always,
    /// Again and again.
    Repeated,
    /// Where it works on its own results, many deep.
    Nested,
}

/// What shows in Core that a function was inlined, so that the program's own code does its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inlined {
    /// Nothing does.
    Never,
    /// It still has its name, but parts of it are in the code of the same line.
    Lines,
    /// A loop passes itself other bytes in each round, and makes some.
    Bytes,
    /// Code that runs again and again makes an array, and copies elements into it.
    Boxes,
}

/// What a set or a map takes to find something, in seconds.
const SEARCH: f64 = 3e-7;
/// What an array takes for an element or its length, with some room, in seconds.
const POSITION: f64 = 3e-8;
/// What it takes to copy some kilobytes, in seconds: shorter texts are what appending is for.
const COPY: f64 = 1e-6;
/// What a map takes to change an element, in seconds: copying a small array takes no longer.
const SMALL_COPY: f64 = 1.5e-7;

/// The least share of the time that is a finding. A tenth is what a program can become faster by that
/// its user notices; most programs spend less than that in any one of these functions. Arbitrary.
pub(super) const LEAST: f64 = 0.1;

const COPIES: &str = "GHC does not change data structures, and gives functions of libraries no other \
                      result than they are written for.";
const LISTS: &str = "A list is a chain: GHC cannot reach into it, and does not choose another data \
                     structure.";

pub(super) static COSTLY: [Costly; 17] = [
    Costly {
        shown: "++",
        functions: &[("GHC.Base", &["++"])],
        mentions: &[
            "++",
            "$fMonadWriterT",
            "$fApplicativeWriterT",
            "tell",
            "concat",
            "mappend",
            "<>",
        ],
        when: When::Nested,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "appends to what was appended before, so that elements are copied once for each `++` around \
               them",
        remedy: "let no `++` have another one on its left: put elements in front and `reverse` at the end, \
                 or build a function (`ShowS`, `Endo [a]` for a `Writer`, a Builder for text) that is \
                 applied to `[]` once",
        why: "`++` copies its left list, and GHC may not regroup calls that it does not see together.",
    },
    Costly {
        shown: "nub",
        // The end of `elem_by` looks like a unique, and is cut off.
        functions: &[("Data.OldList", &["nub", "nubBy", "elem"])],
        mentions: &["nub", "nubBy"],
        when: When::Always,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "compares each element with all that it has kept",
        remedy: "keep what was seen in a set (`Data.Set`, `Data.IntSet`; `nubOrd` of \
                 `Data.Containers.ListUtils`)",
        why: "`nub` knows only `==`; a set needs an order.",
    },
    Costly {
        shown: "the set operations of lists",
        functions: &[(
            "Data.OldList",
            &[
                "union",
                "unionBy",
                "intersect",
                "intersectBy",
                "\\\\",
                "delete",
                "deleteBy",
                "insert",
                "insertBy",
            ],
        )],
        mentions: &[
            "union",
            "unionBy",
            "intersect",
            "intersectBy",
            "\\\\",
            "delete",
            "deleteBy",
            "insert",
            "insertBy",
        ],
        when: When::Repeated,
        short_seconds: Some(SEARCH),
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "goes through a list for each element",
        remedy: "use `Data.Set`, `Data.Map` or `Data.IntSet`; for a queue by priority a heap or `Data.Set`",
        why: LISTS,
    },
    Costly {
        shown: "elem",
        functions: &[("GHC.List", &["elem", "notElem"]), ("Data.Foldable", &["elem", "notElem"])],
        mentions: &["elem", "notElem"],
        when: When::Repeated,
        short_seconds: Some(SEARCH),
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "searches a list from its beginning each time",
        remedy: "keep the elements in a `Data.Set` or `Data.IntSet`",
        why: LISTS,
    },
    Costly {
        shown: "lookup",
        functions: &[("GHC.List", &["lookup"])],
        mentions: &["lookup"],
        when: When::Repeated,
        short_seconds: Some(SEARCH),
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "searches a list of pairs from its beginning each time",
        remedy: "make it a `Data.Map` or `Data.IntMap` once",
        why: LISTS,
    },
    Costly {
        shown: "!!",
        functions: &[("GHC.List", &["!!", "negIndex", "tooLarge"])],
        mentions: &["!!"],
        when: When::Repeated,
        short_seconds: Some(POSITION),
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "walks a list from its beginning to each position",
        remedy: "make the list an array once (`listArray` of `Data.Array`, a vector), or go through it \
                 itself instead of through positions",
        why: LISTS,
    },
    Costly {
        shown: "length",
        functions: &[("GHC.List", &["length", "lenAcc"]), ("Data.Foldable", &["length"])],
        mentions: &["length", "lenAcc"],
        when: When::Repeated,
        short_seconds: Some(POSITION),
        counts: true,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "counts a list again each time",
        remedy: "count once and pass the number on; ask for `null`, or take the list apart, where only its \
                 end matters",
        why: "A list does not know its length, and GHC does not see that it is the same list as before.",
    },
    Costly {
        shown: "last and init",
        functions: &[("GHC.List", &["last", "init", "lastError"])],
        mentions: &["last", "init", "lastError"],
        when: When::Repeated,
        short_seconds: Some(POSITION),
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "goes to the end of a list each time",
        remedy: "keep the list the other way round, or use `Data.Sequence`",
        why: LISTS,
    },
    Costly {
        shown: "conversions of a Map",
        functions: &[
            ("Data.Map.Internal", CONVERSIONS),
            ("Data.Map.Strict.Internal", CONVERSIONS),
            ("Data.Set.Internal", CONVERSIONS),
            ("Data.IntMap.Internal", CONVERSIONS),
            ("Data.IntMap.Strict.Internal", CONVERSIONS),
            ("Data.IntSet.Internal", CONVERSIONS),
        ],
        mentions: CONVERSIONS,
        when: When::Repeated,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Lines,
        spelled: None,
        least: LEAST,
        what: "makes a list of a whole Map or Set, or one of a list, each time",
        remedy: "change it in place of making it anew (`adjust`, `alter`, `insertWith`, `union`), and ask it \
                 itself (`lookupMin`, `foldl'`, `size`, `member`)",
        why: COPIES,
    },
    Costly {
        shown: "read",
        functions: &[
            ("Text.ParserCombinators.ReadP", &[]),
            ("Text.ParserCombinators.ReadPrec", &[]),
            ("Text.Read.Lex", &[]),
            ("Text.Read", &[]),
            ("GHC.Read", &[]),
        ],
        mentions: &[
            "read",
            "readMaybe",
            "readEither",
            "reads",
            "run",
            "readNumber",
            "readPrec",
            "read4",
        ],
        when: When::Repeated,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "reads numbers by a general parser that tries all forms of Haskell's tokens",
        remedy: "use `readInt` or `decimal` (`Data.ByteString.Char8`, `Data.Text.Read`), `digitToInt`, or \
                 arithmetic",
        why: "`Read` reads any Haskell value; GHC does not make a special parser for a type.",
    },
    Costly {
        shown: "sort",
        functions: &[("Data.OldList", &["sort", "sortBy", "sortOn"])],
        mentions: &["sort", "sortBy", "sortOn"],
        when: When::Repeated,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: 0.2,
        what: "sorts a whole list each time",
        remedy: "sort once; where elements come and go in between, keep them in order in a `Data.Set` or \
                 `Data.Map` (`minView`, `insert`), or in a heap",
        why: LISTS,
    },
    Costly {
        shown: "fractions of large numbers",
        functions: &[
            ("Data.Fixed", &[]),
            (
                "GHC.Real",
                &["reduce", "toRational", "fromRational", "truncate", "%", "numericEnumFrom"],
            ),
            (
                "GHC.Float",
                &["toRational", "fromRational", "rationalToDouble", "fromRat", "properFraction"],
            ),
        ],
        mentions: &[
            "mod'",
            "div'",
            "divMod'",
            "toRational",
            "fromRational",
            "realToFrac",
            "reduce",
        ],
        when: When::Repeated,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: LEAST,
        what: "goes through a fraction of two numbers of any size each time",
        remedy: "compute with `Double` itself: `x - y * fromIntegral (floor (x / y) :: Int)` for `mod'`, \
                 `float2Double` and `double2Float` for `realToFrac`",
        why: "`mod'` and `realToFrac` are written for any real number; GHC knows shorter ways for a few \
              types only, and only with `-O`.",
    },
    Costly {
        shown: "printf",
        functions: &[("Text.Printf", &[])],
        mentions: &["printf", "hPrintf", "spr", "uprintf", "uprintfs", "formatInt", "formatString"],
        when: When::Repeated,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: 0.2,
        what: "looks at its format again each time, by character",
        remedy: "use `shows` and `showString`, or a Builder",
        why: "The format is a list at run time, and GHC does not read it.",
    },
    Costly {
        shown: "parts of a list by position",
        functions: &[("GHC.List", &["splitAt", "take", "drop", "unsafeTake", "unsafeDrop"])],
        mentions: &["splitAt", "take", "drop", "unsafeTake", "unsafeDrop", "splitAt'"],
        when: When::Repeated,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Never,
        spelled: None,
        least: 0.25,
        what: "walks a list to a position each time",
        remedy: "go through the list once, or use `Data.Sequence`, an array or `Data.Map`",
        why: LISTS,
    },
    Costly {
        shown: "positions in text",
        functions: &[
            ("Data.Text", POSITIONS),
            ("Data.Text.Lazy", POSITIONS),
            ("Data.ByteString.Lazy", POSITIONS),
            ("Data.ByteString.Lazy.Char8", POSITIONS),
        ],
        mentions: POSITIONS,
        when: When::Repeated,
        short_seconds: Some(SEARCH),
        counts: false,
        inlined: Inlined::Lines,
        spelled: Some(Spelled {
            modules: &[
                "Data.Text",
                "Data.Text.Lazy",
                "Data.ByteString.Lazy",
                "Data.ByteString.Lazy.Char8",
            ],
            names: POSITIONS,
            methods: &[],
            operations: &[],
            short_seconds: SEARCH,
        }),
        least: LEAST,
        what: "counts characters, or pieces of a lazy text, from the beginning each time",
        remedy: "carry the rest of the text along, and take it apart from its beginning (`uncons`, `span`, \
                 `breakOn`, `stripPrefix`); for positions use an array, or a strict `ByteString`",
        why: "Characters of a text take different numbers of bytes, and a lazy text is a list of pieces, so \
              neither can be reached into.",
    },
    Costly {
        // `concat` of many parts at once is the cure.
        shown: "appends of text or bytes",
        functions: &[
            ("Data.Text", &["append", "snoc", "cons"]),
            ("Data.Text.Internal", &["append"]),
            ("Data.ByteString", &["append", "snoc", "cons"]),
            ("Data.ByteString.Internal", &["append", "<>", "mappend"]),
        ],
        mentions: &[
            "append",
            "snoc",
            "cons",
            "$fSemigroupText",
            "$fMonoidText",
            "$fMonoidByteString",
            "$fSemigroupByteString",
            "<>",
        ],
        when: When::Repeated,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Bytes,
        spelled: Some(Spelled {
            modules: &[
                "Data.Text",
                "Data.ByteString",
                "Data.ByteString.Char8",
                "Data.ByteString.Short",
            ],
            names: &["append", "snoc", "cons"],
            methods: &["<>", "mappend", "mconcat"],
            operations: &["newByteArray#", "newPinnedByteArray#"],
            short_seconds: COPY,
        }),
        least: LEAST,
        what: "copies all of the text or bytes each time",
        remedy: "gather a Builder (`Data.Text.Lazy.Builder`, `Data.ByteString.Builder`) or a list, and \
                 concatenate once",
        why: COPIES,
    },
    Costly {
        shown: "changes of an immutable array",
        functions: &[
            ("GHC.Arr", &["//", "accum", "unsafeReplace", "unsafeAccum", "adjust", "amap"]),
            ("Data.Array.Base", &["//", "accum", "unsafeReplaceST", "unsafeAccumST"]),
        ],
        mentions: &[
            "//",
            "accum",
            "unsafeReplace",
            "unsafeAccum",
            "unsafeReplaceST",
            "unsafeAccumST",
        ],
        when: When::Repeated,
        short_seconds: None,
        counts: false,
        inlined: Inlined::Boxes,
        spelled: Some(Spelled {
            modules: &[
                "Data.Array",
                "Data.Array.IArray",
                "Data.Array.Unboxed",
                "Data.Vector",
                "Data.Vector.Generic",
                "Data.Vector.Primitive",
                "Data.Vector.Storable",
                "Data.Vector.Unboxed",
            ],
            names: &["//", "accum", "update", "unsafeUpd", "snoc", "cons"],
            methods: &[],
            operations: &["newByteArray#", "newPinnedByteArray#", "newArray#", "newSmallArray#"],
            short_seconds: SMALL_COPY,
        }),
        least: LEAST,
        what: "copies the whole array each time",
        remedy: "give all changes at once (`accumArray`, one `//` with all of them), or change a mutable array \
                 in place (`runSTUArray`, `runSTArray`); for single changes between readings `Data.IntMap` \
                 or `Data.Sequence`",
        why: COPIES,
    },
];

const POSITIONS: &[&str] =
    &["index", "length", "take", "drop", "splitAt", "takeEnd", "dropEnd", "findIndex"];

const CONVERSIONS: &[&str] = &[
    "toList",
    "toAscList",
    "toDescList",
    "fromList",
    "fromAscList",
    "fromDistinctAscList",
    "elems",
    "keys",
    "assocs",
    "fromListWith",
    "fromListWithKey",
];

/// Which of them a function of a running program is; its name is as [`plain`] gives it.
pub(super) fn of_program(module: &str, name: &str) -> Option<&'static Costly> {
    let later = module.strip_prefix("GHC.Internal.");
    // `GHC.Internal.Data.OldList` was `Data.OldList`, `GHC.Internal.Base` was `GHC.Base`.
    let is_module = |known: &str| {
        known == module
            || later.is_some_and(|it| known == it || known.strip_prefix("GHC.") == Some(it))
    };
    COSTLY.iter().find(|it| {
        let has = |names: &[&str]| names.is_empty() || names.contains(&name);
        it.functions.iter().any(|(module, names)| is_module(module) && has(names))
    })
}

/// A name without number and prime: pieces of a function have the function's name with a number.
pub(super) fn plain(name: &str) -> &str {
    // `nub_$snub1` is a copy of `nub`.
    let copied = name.split_once("_$s").map(|(of, _)| of).filter(|of| !of.is_empty());
    let plain = super::names::in_source(copied.unwrap_or(name))
        .trim_end_matches(|last: char| last.is_ascii_digit())
        .trim_end_matches('_');
    if plain.is_empty() { name } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(module: &str, name: &str) -> Option<&'static str> {
        of_program(module, plain(name)).map(|it| it.shown)
    }

    #[test]
    fn workers_copies_and_pieces_are_the_functions_that_they_are_of() {
        assert_eq!(shown("GHC.List", "$w!!"), Some("!!"));
        assert_eq!(shown("GHC.List", "$wlenAcc"), Some("length"));
        assert_eq!(shown("GHC.Base", "++_$s++"), Some("++"));
        assert_eq!(shown("Data.OldList", "nub_$snub1"), Some("nub"));
        assert_eq!(shown("Data.OldList", "elem_by"), Some("nub"));
        assert_eq!(shown("GHC.List", "init1"), Some("last and init"));
        assert_eq!(shown("Text.Read.Lex", "expect2"), Some("read"));
    }

    #[test]
    fn later_versions_have_other_modules() {
        assert_eq!(shown("GHC.Internal.Base", "++"), Some("++"));
        assert_eq!(shown("GHC.Internal.Data.OldList", "nub"), Some("nub"));
        assert_eq!(shown("GHC.Internal.List", "$w!!"), Some("!!"));
    }

    #[test]
    fn what_is_called_alike_elsewhere_is_something_else() {
        assert_eq!(shown("Data.Map.Internal", "insert"), None);
        assert_eq!(shown("Data.Map.Internal", "lookup"), None);
        assert_eq!(shown("Data.Sequence.Internal", "length"), None);
        assert_eq!(shown("Main", "nub"), None);
    }
}
