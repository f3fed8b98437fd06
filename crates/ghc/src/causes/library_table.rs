//! The table of costly library functions.

use super::library_use::{Costly, Inlined, LEAST, When};
use super::source::Spelled;

/// The time of a lookup in a set or a map, in seconds.
const SEARCH: f64 = 3e-7;
/// The time an array takes for an element or its length, with a margin, in seconds.
const POSITION: f64 = 2e-8;
/// The time to copy some kilobytes, in seconds: appending is meant for shorter texts.
const COPY: f64 = 1e-6;
/// The time to change an element of a map, in seconds: copying a small array takes no longer.
const SMALL_COPY: f64 = 1.5e-7;

const COPIES: &str = "GHC does not change data structures, and gives functions of libraries no other \
                      result than they are written for.";
const LISTS: &str = "A list is a chain: GHC cannot reach into it, and does not choose another data \
                     structure.";

/// The common part of most entries: a repeated use is costly, and is seen by the function at work.
const REPEATED: Costly = Costly {
    shown: "",
    functions: &[],
    mentions: &[],
    when: When::Repeated,
    short_seconds: None,
    counts: false,
    inlined: Inlined::Never,
    spelled: None,
    least: LEAST,
    what: "",
    remedy: "",
    why: "",
};

pub(super) static COSTLY: [Costly; 23] = [
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
        what: "appends to what was appended before, so that elements are copied once for each `++` around \
               them",
        remedy: "let no `++` have another one on its left: put elements in front and `reverse` at the end, \
                 or build a function (`ShowS`, `Endo [a]` for a `Writer`, a Builder for text) that is \
                 applied to `[]` once",
        why: "`++` copies its left list, and GHC may not regroup calls that it does not see together.",
        ..REPEATED
    },
    Costly {
        shown: "nub",
        // The end of `elem_by` looks like a unique, and is cut off.
        functions: &[("Data.OldList", &["nub", "nubBy", "elem"])],
        mentions: &["nub", "nubBy"],
        when: When::Always,
        what: "compares each element with all that it has kept",
        remedy: "keep what was seen in a set (`Data.Set`, `Data.IntSet`; `nubOrd` of \
                 `Data.Containers.ListUtils`)",
        why: "`nub` knows only `==`; a set needs an order.",
        ..REPEATED
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
        short_seconds: Some(SEARCH),
        what: "goes through a list for each element",
        remedy: "use `Data.Set`, `Data.Map` or `Data.IntSet`; for a queue by priority a heap or `Data.Set`",
        why: LISTS,
        ..REPEATED
    },
    Costly {
        shown: "elem",
        functions: &[("GHC.List", &["elem", "notElem"]), ("Data.Foldable", &["elem", "notElem"])],
        mentions: &["elem", "notElem"],
        short_seconds: Some(SEARCH),
        what: "searches a list from its beginning each time",
        remedy: "keep the elements in a `Data.Set` or `Data.IntSet`",
        why: LISTS,
        ..REPEATED
    },
    Costly {
        shown: "lookup",
        functions: &[("GHC.List", &["lookup"])],
        mentions: &["lookup"],
        short_seconds: Some(SEARCH),
        what: "searches a list of pairs from its beginning each time",
        remedy: "make it a `Data.Map` or `Data.IntMap` once",
        why: LISTS,
        ..REPEATED
    },
    Costly {
        shown: "!!",
        functions: &[("GHC.List", &["!!", "negIndex", "tooLarge"])],
        mentions: &["!!"],
        short_seconds: Some(POSITION),
        what: "walks a list from its beginning to each position",
        remedy: "make the list an array once (`listArray` of `Data.Array`, a vector), or go through it \
                 itself instead of through positions",
        why: LISTS,
        ..REPEATED
    },
    Costly {
        shown: "length",
        functions: &[("GHC.List", &["length", "lenAcc"]), ("Data.Foldable", &["length"])],
        mentions: &["length", "lenAcc"],
        short_seconds: Some(POSITION),
        counts: true,
        what: "counts a list again each time",
        remedy: "count once and pass the number on; ask for `null`, or take the list apart, where only its \
                 end matters",
        why: "A list does not know its length, and GHC does not see that it is the same list as before.",
        ..REPEATED
    },
    Costly {
        shown: "last and init",
        functions: &[("GHC.List", &["last", "init", "lastError"])],
        mentions: &["last", "init", "lastError"],
        short_seconds: Some(POSITION),
        what: "goes to the end of a list each time",
        remedy: "keep the list the other way round, or use `Data.Sequence`",
        why: LISTS,
        ..REPEATED
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
        inlined: Inlined::Lines,
        what: "makes a list of a whole Map or Set, or one of a list, each time",
        remedy: "change it in place of making it anew (`adjust`, `alter`, `insertWith`, `union`), and ask it \
                 itself (`lookupMin`, `foldl'`, `size`, `member`)",
        why: COPIES,
        ..REPEATED
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
        what: "reads numbers by a general parser that tries all forms of Haskell's tokens",
        remedy: "use `readInt` or `decimal` (`Data.ByteString.Char8`, `Data.Text.Read`), `digitToInt`, or \
                 arithmetic",
        why: "`Read` reads any Haskell value; GHC does not make a special parser for a type.",
        ..REPEATED
    },
    Costly {
        shown: "sort",
        functions: &[("Data.OldList", &["sort", "sortBy", "sortOn"])],
        mentions: &["sort", "sortBy", "sortOn"],
        least: 0.2,
        what: "sorts a whole list each time",
        remedy: "sort once; where elements come and go in between, keep them in order in a `Data.Set` or \
                 `Data.Map` (`minView`, `insert`), or in a heap",
        why: LISTS,
        ..REPEATED
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
            "rationalToDouble",
            "rationalToFloat",
            "reduce",
        ],
        what: "goes through a fraction of two numbers of any size each time",
        remedy: "compute with `Double` itself: `x - y * fromIntegral (floor (x / y) :: Int)` for `mod'`, \
                 `float2Double` and `double2Float` for `realToFrac`",
        why: "`mod'` and `realToFrac` are written for any real number; GHC knows shorter ways for a few \
              types only, and only with `-O`.",
        ..REPEATED
    },
    Costly {
        shown: "printf",
        functions: &[("Text.Printf", &[])],
        mentions: &["printf", "hPrintf", "spr", "uprintf", "uprintfs", "formatInt", "formatString"],
        least: 0.2,
        what: "looks at its format again each time, by character",
        remedy: "use `shows` and `showString`, or a Builder",
        why: "The format is a list at run time, and GHC does not read it.",
        ..REPEATED
    },
    Costly {
        shown: "parts of a list by position",
        functions: &[("GHC.List", &["splitAt", "take", "drop", "unsafeTake", "unsafeDrop"])],
        mentions: &["splitAt", "take", "drop", "unsafeTake", "unsafeDrop", "splitAt'"],
        least: 0.25,
        what: "walks a list to a position each time",
        remedy: "go through the list once, or use `Data.Sequence`, an array or `Data.Map`",
        why: LISTS,
        ..REPEATED
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
        short_seconds: Some(SEARCH),
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
        what: "counts characters, or pieces of a lazy text, from the beginning each time",
        remedy: "carry the rest of the text along, and take it apart from its beginning (`uncons`, `span`, \
                 `breakOn`, `stripPrefix`); for positions use an array, or a strict `ByteString`",
        why: "Characters of a text take different numbers of bytes, and a lazy text is a list of pieces, so \
              neither can be reached into.",
        ..REPEATED
    },
    Costly {
        // Use `concat` of many parts at once instead.
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
        what: "copies all of the text or bytes each time",
        remedy: "gather a Builder (`Data.Text.Lazy.Builder`, `Data.ByteString.Builder`) or a list, and \
                 concatenate once",
        why: COPIES,
        ..REPEATED
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
        what: "copies the whole array each time",
        remedy: "give all changes at once (`accumArray`, one `//` with all of them), or change a mutable array \
                 in place (`runSTUArray`, `runSTArray`); for single changes between readings `Data.IntMap` \
                 or `Data.Sequence`",
        why: COPIES,
        ..REPEATED
    },
    Costly {
        shown: "lists of bytes or characters",
        functions: &[
            ("Data.ByteString", &["pack", "unpack"]),
            ("Data.ByteString.Char8", &["pack", "unpack"]),
            ("Data.ByteString.Internal", PACKING),
            ("Data.ByteString.Internal.Type", PACKING),
            ("Data.Text", &["pack", "unpack"]),
            ("Data.Text.Show", &["pack", "unpack", "unpackCString#"]),
        ],
        mentions: PACKING,
        short_seconds: Some(COPY),
        spelled: Some(Spelled {
            modules: &["Data.ByteString", "Data.ByteString.Char8", "Data.Text"],
            names: &["pack", "unpack"],
            methods: &[],
            operations: &[],
            short_seconds: COPY,
        }),
        least: 0.15,
        what: "makes a text from a list, or a list from a text, each time",
        remedy: "work on the text itself: `map`, `foldl'`, `zipWith` or `packZipWith`, `unfoldrN`, a Builder",
        why: "Each element of a list is in memory of its own, with a pointer to it; GHC seldom gets rid of a \
              list between two texts.",
        ..REPEATED
    },
    Costly {
        shown: "a transaction over many variables",
        functions: &[(
            RUNTIME,
            &[
                "stmReadTVar",
                "stmWriteTVar",
                "stmCommitTransaction",
                "stmCommitNestedTransaction",
                "stmValidateNestOfTransactions",
                "validate_and_acquire_ownership",
                "get_entry_for",
            ],
        )],
        mentions: &[
            "readTVar#",
            "writeTVar#",
            "readTVar",
            "writeTVar",
            "modifyTVar",
            "stateTVar",
            "swapTVar",
        ],
        // A lookup among few variables takes less.
        short_seconds: Some(SEARCH),
        what: "searches all variables that the transaction has read or written so far for each one",
        remedy: "make the transaction short: one for each variable where they need not change together, \
                 `readTVarIO` where one value is enough; else one `TVar` with a map of all values",
        why: "The runtime keeps what a transaction has touched in a list, and goes through it each time.",
        ..REPEATED
    },
    Costly {
        shown: "deepseq",
        functions: &[
            ("Control.DeepSeq", &[]),
            ("Data.Map.Internal", &["rnf"]),
            ("Data.Set.Internal", &["rnf"]),
            ("Data.IntMap.Internal", &["rnf"]),
            ("Data.Sequence.Internal", &["rnf"]),
            ("Data.Tree", &["rnf"]),
        ],
        mentions: &["rnf", "force", "deepseq", "$!!", "<$!!>"],
        // The methods of instances call each other for every part.
        spelled: Some(Spelled {
            modules: &["Control.DeepSeq"],
            names: &["force", "deepseq", "$!!", "<$!!>", "rnf"],
            methods: &[],
            operations: &[],
            short_seconds: COPY,
        }),
        what: "walks all of a value each time, however little of it is new",
        remedy: "let each part be computed when it is put in: strict fields, `Data.Map.Strict`, `seq` or a bang; \
                 use `force` once, where a result leaves",
        why: "`deepseq` does not know what was evaluated before, and looks at every part again.",
        ..REPEATED
    },
    Costly {
        shown: "files that are opened each time",
        functions: &[
            ("System.IO", OPENING),
            ("GHC.IO.Handle.FD", OPENING),
            ("GHC.IO.FD", OPENING),
            ("Data.ByteString", OPENING),
            ("Data.ByteString.Lazy", OPENING),
            ("Data.Text.IO", OPENING),
            ("Data.Text.Lazy.IO", OPENING),
        ],
        mentions: OPENING,
        least: 0.2,
        what: "opens a file, makes its buffers and closes it again each time",
        remedy: "if it is the same file, open it once (`withFile`), and write all pieces to its handle (`hPutStr`)",
        why: "Each call is complete in itself: what it has written must be in the file when it ends.",
        ..REPEATED
    },
    Costly {
        shown: "NoBuffering",
        functions: &[
            ("GHC.IO.Handle.Text", &["hPutStr", "hPutChar", "commitBuffer", "bufWrite", "hPutBuf"]),
            ("GHC.IO.Handle.Internals", &["flushWriteBuffer", "flushByteWriteBuffer"]),
            ("GHC.IO.FD", &[]),
        ],
        mentions: &["NoBuffering"],
        when: When::Always,
        least: 0.2,
        what: "makes a call of the system for each character or piece that is written",
        remedy: "leave the buffer as it is, or set `LineBuffering` or `BlockBuffering Nothing`; `hFlush` where \
                 somebody waits for an answer",
        why: "Without a buffer nothing may be held back, and GHC does not put writes together.",
        ..REPEATED
    },
    Costly {
        shown: "comparisons of large keys",
        functions: &[("GHC.Classes", &["compare", "<", "<=", ">", ">=", "max", "min"])],
        mentions: &[
            "insert",
            "insertWith",
            "insertWith'",
            "member",
            "notMember",
            "lookup",
            "delete",
            "adjust",
            "alter",
            "findWithDefault",
            "fromList",
            "fromListWith",
            "union",
            "$fOrd[]",
            "$fOrd(,)",
            "$fOrd(,,)",
            "$fOrd(,,,)",
        ],
        when: When::Otherwise,
        least: 0.4,
        what: "goes through keys part by part, at each node on the way through a map or set",
        remedy: "use keys that compare at once: numbers (`Data.IntMap`, `Data.IntSet`), a list packed into one \
                 number, `Text` or `ByteString` for strings; or hash them (`Data.HashMap`)",
        why: "The order of a list or tuple is that of its parts, and each is behind a pointer.",
        ..REPEATED
    },
];

const PACKING: &[&str] = &[
    "pack",
    "unpack",
    "packBytes",
    "packChars",
    "unpackBytes",
    "unpackChars",
    "unsafePackLenBytes",
    "unsafePackLenChars",
    "unpackAppendBytesLazy",
    "unpackAppendCharsLazy",
];

/// The runtime itself, in place of a module.
pub(super) const RUNTIME: &str = "the runtime";

const OPENING: &[&str] =
    &["appendFile", "openFile", "withFile", "openBinaryFile", "withBinaryFile"];

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
