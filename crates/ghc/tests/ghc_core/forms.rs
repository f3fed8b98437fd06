//! Constructs one by one, in the forms printed by the versions of GHC.
//!
//! Each is given as GHC prints it and in the printer's form, with all the brackets that GHC omits.
//! Forms without a sample were taken from dumps of other programs.

use ghc::core::Dump;

use crate::printer;

/// The right-hand side of `x` in the printer's form, on one line.
fn right(text: &str) -> String {
    let dump = Dump::read(format!("x = {text}\n").as_bytes());
    assert_eq!(dump.problems, [], "{text}");
    let top = dump.tops(&dump.passes[0]).next().expect("a binding");
    let printed = printer::binding(&dump.core, &dump.core.bindings[top.binding]);
    let words: Vec<&str> =
        printed.strip_prefix("x =").expect("its name").split_whitespace().collect();
    words.join(" ")
}

/// The signature of `x` in the printer's form.
fn signature(text: &str) -> String {
    let dump = Dump::read(format!("x :: {text}\nx = y\n").as_bytes());
    assert_eq!(dump.problems, [], "{text}");
    let top = dump.tops(&dump.passes[0]).next().expect("a binding");
    let binding = &dump.core.bindings[top.binding];
    dump.core.print_type(binding.signature.expect("a signature"))
}

#[test]
fn names_may_hold_brackets_commas_and_signs() {
    for name in [
        "GHC.Base.++",
        "GHC.Base..",
        ".",
        "$fShow(,)4",
        "$fMonadIResult_$c>>=",
        "$fToJSON1[]_$cliftToJSON",
        "GHC.Tuple.(,)",
        "GHC.Prim.(##)",
        "GHC.Types.(# _| | #)",
        "(#_||#)",
        "Feat.D:R:Key[]0[0]",
        "k_a89g[sk:1]",
        "$c<|>",
        "Data.Sequence.:<|",
        ":",
        "[]",
        "()",
        "x'_a1",
        "größe_a1",
        "⊕_r1",
        "@@_a1",
        "join",
        "\\\\_a1",
        "base-4.15.1.0:Data.Semigroup.Internal.Any",
    ] {
        assert_eq!(right(&format!("f {name} y")), format!("f {name} y"));
    }
}

#[test]
fn literals_keep_their_form() {
    for literal in [
        "3",
        "3#",
        "-1#",
        "18446744073709551615##",
        "1.5##",
        "-2.5#",
        "1.0e-3##",
        "5#Word8",
        "-3#Int64",
        "'x'#",
        "'\\''#",
        "'\\\\'#",
        "'\"'#",
        "'\\1114111'#",
        "\"\"#",
        "\"a\\\"b\\\\\"#",
        "\"end Rec } ) ] [GblId]\"#",
        "__NULL",
    ] {
        assert_eq!(right(&format!("f {literal} y")), format!("f {literal} y"));
    }
    assert_eq!(right("f (__label \"free\" (function)) y"), "f (__label \"free\" (function)) y");
}

#[test]
fn brackets_group_and_casts_stand_between() {
    assert_eq!(right("f (x) ((y))"), "f x y");
    assert_eq!(
        right("(((f x) `cast` <Co:4>) y) `cast` <Co:2>"),
        "(((f x) `cast` <Co:4>) y) `cast` <Co:2>"
    );
    assert_eq!(right("x `cast` <Co:3> :: Int ~R# T a"), "x `cast` (<Co:3> :: Int ~R# T a)");
    assert_eq!(right("x `cast` <Co:3> :: ..."), "x `cast` <Co:3>");
    assert_eq!(
        right(
            "x `cast` (Sub (Sym co_a) %<'Many>_N ->_R <Int -> Int>_R\n    :: (Int -> Int) ~R# T)"
        ),
        "x `cast` (Sub (Sym co_a) %<'Many>_N ->_R <Int -> Int>_R :: (Int -> Int) ~R# T)"
    );
    assert_eq!(
        right("x `cast` ((Vec (Sym N:A[0] ; (P <m>_N)_N) <a>_R)_R :: A ~R# B)"),
        "x `cast` ((Vec (Sym N:A[0] ; (P <m>_N)_N) <a>_R)_R :: A ~R# B)"
    );
}

#[test]
fn the_type_of_a_coercion_among_arguments_ends_where_a_value_begins() {
    assert_eq!(
        right("C @Int @~<Co:1> :: Int ~# Int conrep_a5"),
        "C @Int @~(<Co:1> :: Int ~# Int) conrep_a5"
    );
    assert_eq!(
        right("\\ (@a_1) -> C @~<Co:1> :: a_1 ~# T a_1 y_a5 3#"),
        "\\ @a_1 -> C @~(<Co:1> :: a_1 ~# T a_1) y_a5 3#"
    );
    assert_eq!(
        right("C\n    @~<Co:4> :: S (P n m)\n              ~# S n\n    Y.D"),
        "C @~(<Co:4> :: S (P n m) ~# S n) Y.D"
    );
    assert_eq!(right("C @~(<Int>_N :: Int ~# Int) y"), "C @~(<Int>_N :: Int ~# Int) y");
    for evidence in ["<?x::Int>_N", "<<a>_N>_N", "<$fShowT>_N"] {
        let text = format!("C @~('True @{evidence} :: Int ~# Int) y");
        assert_eq!(right(&text), text);
    }
}

#[test]
fn cases_lets_and_jumps_are_read_in_all_their_forms() {
    let case = "case y of w [Occ=Dead] { __DEFAULT -> a; 1# -> b; I# z [Occ=Once1!] -> z; (# p, _ [Occ=Dead] #) -> p; }";
    assert_eq!(right(&case.replace("; }", " }")), case);
    assert_eq!(right("case y of { }"), "case y of { }");
    assert_eq!(right("case y of {}"), "case y of { }");
    assert_eq!(right("let! { I# z ~ w <- y } in z"), "case y of w { I# z -> z; }");
    assert_eq!(right("let! { I# z ~ <- y } in z"), "case y of { I# z -> z; }");
    assert_eq!(
        right(
            "joinrec {\n        j_s1 [Occ=LoopBreaker] :: Int -> Int\n        [LclId[JoinId(1)], Arity=1]\n        j_s1 (a :: Int) = jump j_s1 a; } in\n      jump j_s1 3#"
        ),
        "joinrec { j_s1 [Occ=LoopBreaker] :: Int -> Int [LclId[JoinId(1)], Arity=1] j_s1 (a :: Int) = jump j_s1 a; } in jump j_s1 3#"
    );
    assert_eq!(
        right("let {\n        @k_a\n        k_a = TYPE: Int } in\n      k_a"),
        "let { @k_a k_a = TYPE: Int; } in k_a"
    );
    assert_eq!(
        right("src<M.hs:(24,12)-(28,38)> scc<f> f (src<a b.hs:3> y)"),
        "src<M.hs:(24,12)-(28,38)> scc<f> f (src<a b.hs:3> y)"
    );
}

#[test]
fn foreign_calls_are_read_with_their_types() {
    let new = "{__ffi_static_ccall_unsafe main:sin :: Double# -> Double#}";
    assert_eq!(right(&format!("{new}_d7PI x y")), format!("{new} x y"));
    let old = "{__pkg_ccall main Double# -> Double#}";
    assert_eq!(right(&format!("{old}_d7PI x y")), format!("{old} x y"));
}

#[test]
fn types_are_nested_as_arrows_and_operators_bind() {
    for (given, printed) in [
        ("a -> b -> c", "a -> b -> c"),
        ("(a -> (b -> c))", "a -> b -> c"),
        ("(a -> b) -> c", "(a -> b) -> c"),
        (
            "forall (n :: Nat') a {k}. (Eq a, Show a) => V n a %1 -> a",
            "forall (n :: Nat') a {k}. (Eq a, Show a) => V n a %1 -> a",
        ),
        ("forall k -> k", "forall k -> k"),
        ("a %m_1 -> b %'Many -> c", "a %m_1 -> b %'Many -> c"),
        ("a → b", "a -> b"),
        ("a ~ b", "a ~ b"),
        ("(a ~ b) :+: c", "a ~ b :+: c"),
        ("a ~ (b :+: c)", "a ~ (b :+: c)"),
        ("x ': (y ': '[])", "x ': (y ': '[])"),
        ("'[a, 'True, 3, \"s\"]", "'[a, 'True, 3, \"s\"]"),
        ("P '(a, 'b) ('Just 'x)", "P '(a, 'b) ('Just 'x)"),
        ("f * -> *", "f (*) -> (*)"),
        ("(->) a b", "(->) a b"),
        ("(# Int | Char | (# #) #)", "(# Int | Char | (# #) #)"),
        ("(# a, (# #) #)", "(# a, (# #) #)"),
        ("(?x::Bool, Show a) => a", "(?x::Bool, Show a) => a"),
        ("?x::Bool => a", "?x::Bool => a"),
        ("P @k @{Nat} (a :: k)", "P @k @{Nat} (a :: k)"),
        ("[[a]] -> ()", "[[a]] -> ()"),
        // The message of `TypeError` is not printed.
        ("forall a. (TypeError ...) => C a", "forall a. TypeError (...) => C a"),
    ] {
        assert_eq!(signature(given), printed);
        assert_eq!(signature(printed), printed);
    }
}

#[test]
fn what_is_known_of_a_binding_is_read_item_by_item() {
    use ghc::core::tree::{Key, Unfolding};
    let text = "\
f [InlPrag=INLINE (sat-args=2)] :: Int -> Int
[GblId[DFunId(nt)],
 Arity=2,
 Str=<S(LS),1*U(A,1*U)><L,U>b{a->L},
 Cpr=1(, 1),
 Unf=Unf{Src=<vanilla>, TopLvl=True, Guidance=IF_ARGS [30 0] 90 10
         Tmpl= \\ (y :: Int) -> y},
 RULES: \"a \"b\" c\" [2]
            forall (@a) y. f @a y = g y
        Built in rule for f: \"Class op f\"]
f = y
";
    let dump = Dump::read(text.as_bytes());
    assert_eq!(dump.problems, []);
    let core = &dump.core;
    let binding = &core.bindings[dump.tops(&dump.passes[0]).next().expect("one").binding];
    let item = |key| core.attribute(binding.info, key);
    assert_eq!(core.attribute(binding.notes, Key::Inline), Some("INLINE (sat-args=2)"));
    assert_eq!((item(Key::Scope), item(Key::Details)), (Some("GblId"), Some("DFunId(nt)")));
    assert_eq!(item(Key::Strictness), Some("<S(LS),1*U(A,1*U)><L,U>b{a->L}"));
    assert_eq!(item(Key::Cpr), Some("1(, 1)"));
    assert_eq!((item(Key::Caf), core.arity(binding)), (None, Some(2)));
    let Some(Unfolding::Core(fields, Some(_))) = core.unfolding(binding.info) else { panic!() };
    let fields: Vec<_> =
        core.fields[*fields].iter().map(|it| (core.text(it.key), core.text(it.value))).collect();
    assert_eq!(
        fields,
        [("Src", "<vanilla>"), ("TopLvl", "True"), ("Guidance", "IF_ARGS [30 0] 90 10")]
    );
    let rules: Vec<&str> = core.rules.iter().map(|rule| core.text(rule.name)).collect();
    assert_eq!(rules, ["a \"b\" c", "Class op f"]);
    assert_eq!(binding.line, 1);
}

#[test]
fn passes_are_told_apart_and_groups_keep_together() {
    let text = "
==================== Desugar (after optimization) ====================
2026-01-02 03:04:05.678 UTC

Result size of Desugar (after optimization)
  = {terms: 4,718, types: 7, coercions: 1, joins: 2/44}

Rec {
-- RHS size: {terms: 1,
              types: 0,
              coercions: 4,
              joins: 0/0}
f = g

g = f
end Rec }

------ Local rules for imported ids --------
\"r\" forall x. h x = x


==================== Tidy Core ====================
(+++) = f
";
    let dump = Dump::read(text.as_bytes());
    assert_eq!(dump.problems, []);
    let titles: Vec<_> =
        dump.passes.iter().map(|pass| pass.title.map(|it| dump.core.text(it))).collect();
    assert_eq!(titles, [Some("Desugar (after optimization)"), Some("Tidy Core")]);
    let size = dump.passes[0].size.expect("a size");
    assert_eq!((size.terms, size.join_points, size.inner_bindings), (4718, 2, 44));
    let groups = &dump.core.groups[dump.passes[0].groups];
    assert_eq!((groups.len(), groups[0].recursive, groups[0].bindings.len()), (1, true, 2));
    assert_eq!(dump.core.tops[groups[0].bindings][0].size.map(|size| size.coercions), Some(4));
    assert_eq!((dump.passes[0].rules.len(), dump.passes[1].rules.len()), (1, 0));
    let lines: Vec<u32> =
        dump.tops(&dump.passes[0]).map(|top| dump.core.bindings[top.binding].line).collect();
    assert_eq!(lines, [13, 15]);
}

#[test]
fn expressions_that_make_splices_are_no_bindings() {
    // -ddump-simpl and -ddump-prep of a module with `$(derive ''T)` and a binding.
    let text = "
==================== Simplified expression ====================

Derive.derive
  (Language.Haskell.TH.Syntax.mkNameG_tc
     (GHC.CString.unpackCString# \"main\"#) (GHC.CString.unpackCString# \"T\"#))

let { x = 1 } in
\\ (y :: Int) -> y


==================== CorePrep ====================

let {
  sat_s1 :: [GHC.Types.Char]
  [LclId]
  sat_s1 = GHC.CString.unpackCString# \"T\"# } in
Derive.derive sat_s1


==================== CorePrep ====================
Result size of CorePrep = {terms: 1, types: 0, coercions: 0, joins: 0/0}

f = g
";
    let dump = Dump::read(text.as_bytes());
    assert_eq!(dump.problems, []);
    let found: Vec<_> = dump
        .passes
        .iter()
        .map(|pass| (pass.title.map(|it| dump.core.text(it)), dump.tops(pass).count()))
        .collect();
    assert_eq!(
        found,
        [(Some("Simplified expression"), 0), (Some("CorePrep"), 0), (Some("CorePrep"), 1)]
    );
}
