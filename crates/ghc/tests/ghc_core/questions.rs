//! Queries of rules on a dump.

use ghc::core::calls::{CallGraph, Saturation};
use ghc::core::tree::{Binding, Expr};
use ghc::core::{Core, Dump};

use crate::DUMPS;

fn one(text: &str) -> (Dump, Binding) {
    let dump = Dump::read(text.as_bytes());
    assert_eq!(dump.problems, [], "{text}");
    let binding = dump.core.bindings[dump.tops(&dump.passes[0]).next().expect("one").binding];
    (dump, binding)
}

fn free(core: &Core, binding: &Binding) -> Vec<String> {
    core.free_variables(binding.right).into_iter().map(|name| core.text(name).to_owned()).collect()
}

#[test]
fn free_variables_follow_scopes() {
    for (text, expected) in [
        ("x = f y (\\ y -> g y)", &["f", "y", "g"][..]),
        ("x = \\ (@a) y -> case y of w { I# z -> + z w }", &["+"]),
        ("x = case w of w { __DEFAULT -> w }", &["w"]),
        ("x = let { y = y } in y", &["y"]),
        ("x = letrec { y = z; z = y } in f y z", &["f"]),
        ("x = (\\ y -> y) y", &["y"]),
        ("x = \\ y -> f (\\ y -> y) y", &["f"]),
        ("x = join { j a = f a b } in jump j b", &["f", "b"]),
        ("x = (# a, \"s\"#, 3# #)", &["a"]),
    ] {
        let (dump, binding) = one(&format!("{text}\n"));
        assert_eq!(free(&dump.core, &binding), expected, "{text}");
    }
}

#[test]
fn calls_are_seen_through_casts_and_ticks() {
    let (dump, binding) = one("x = src<a.hs:1> (((f @Int y z) `cast` <Co:4>) 3#) `cast` <Co:2>\n");
    let call = dump.core.call(binding.right).expect("a call");
    assert_eq!(dump.core.text(call.function), "f");
    assert_eq!((call.values.len(), call.is_jump), (3, false));
    assert_eq!(call.saturation(4), Saturation::Lacking(1));
    assert_eq!(call.saturation(3), Saturation::Exact);
    assert_eq!(call.saturation(1), Saturation::Excess(2));
    for text in ["x = y\n", "x = (\\ z -> z) y\n", "x = 3#\n"] {
        let (dump, binding) = one(text);
        assert_eq!(dump.core.call(binding.right), None, "{text}");
    }
}

#[test]
fn arity_is_what_ghc_says_and_parameters_what_is_written() {
    let (dump, binding) =
        one("f :: a\n[GblId, Arity=1]\nf = (\\ (@t) (y :: a) -> \\ z -> y) `cast` <Co:1>\n");
    assert_eq!((dump.core.arity(&binding), dump.core.parameters(&binding)), (Some(1), 2));
    let (dump, binding) = one("f :: a\n[GblId]\nf = y\n");
    assert_eq!((dump.core.arity(&binding), dump.core.parameters(&binding)), (Some(0), 0));
    let (dump, binding) = one("f = \\ y -> y\n");
    assert_eq!((dump.core.arity(&binding), dump.core.parameters(&binding)), (None, 1));
}

#[test]
fn a_walk_knows_where_it_is() {
    let (dump, binding) = one("x = case f y of w { A -> g w; B -> \\ z -> z }\n");
    let mut walk = dump.core.walk(binding.right);
    let mut seen = Vec::new();
    while let Some(it) = walk.next() {
        if let Expr::Variable(name) = dump.core.exprs[it] {
            seen.push((dump.core.text(name).to_owned(), walk.path().len()));
        }
    }
    let expected = [("f", 3), ("y", 3), ("g", 3), ("w", 3), ("z", 3)];
    assert_eq!(seen, expected.map(|(name, depth)| (name.to_owned(), depth)));
}

#[test]
fn it_is_known_who_uses_whom() {
    let text = "f = \\ x -> g (h x)\n\nRec {\ng = \\ x -> f (g x)\nend Rec }\n\nh = \\ g -> g\n";
    let dump = Dump::read(text.as_bytes());
    let graph = CallGraph::from_dump(&dump, &dump.passes[0]);
    let names = ["f", "g", "h"];
    let list = |tops: &[usize]| -> Vec<&str> { tops.iter().map(|top| names[*top]).collect() };
    assert_eq!(list(graph.uses(0)), ["g", "h"]);
    assert_eq!(list(graph.uses(1)), ["f", "g"]);
    assert_eq!(list(graph.users(1)), ["f", "g"]);
    assert_eq!(list(graph.users(2)), ["f"]);
    assert!(graph.uses(2).is_empty(), "its `g` is a parameter");
}

#[test]
fn it_is_seen_what_was_suppressed() {
    for (name, text) in DUMPS {
        let seen = Dump::read(text).suppressed();
        let (_, kind) = name.split_once(' ').expect("two words");
        let by = |flag| (kind == "suppressed").then_some(flag);
        assert_eq!(seen.uniques, by("-dsuppress-uniques"), "{name}");
        assert_eq!(seen.type_signatures, by("-dsuppress-type-signatures"), "{name}");
        assert_eq!(seen.idinfo, by("-dsuppress-type-signatures"), "{name}");
    }
    let nothing = Dump::read(b"x = y\n").suppressed();
    assert_eq!(nothing.uniques, None);
}

#[test]
fn the_form_for_people_leaves_out_what_they_do_not_read() {
    let text = "\
Main.f :: forall a. a
[GblId, Arity=1]
Main.f
  = \\ (@a_a1) (y_a2 :: a_a1) (s_a3 [Occ=Dead] :: Int) ->
      src<A.hs:1:2>
      case (GHC.Base.g @a_a1 y_a2) `cast` <Co:3> of w_a4 [Occ=Dead] {
        GHC.Types.I# z_a5 -> GHC.Prim.+# z_a5 1#;
        __DEFAULT -> let { y_a6 = h y_a2 } in k y_a6
      }
";
    let (dump, binding) = one(text);
    let expected = "\
f =
  \\ y_a2 _ ->
    case g y_a2 of _ {
      I# z -> +# z 1#
      _ ->
        let y_a6 = h y_a2
        k y_a6
    }";
    assert_eq!(dump.core.readable_marked(&binding, &[]).text, expected);
}

#[test]
fn the_form_for_people_shows_what_is_in_focus() {
    let long = "big (big 1# 2# 3# 4# 5# 6# 7#)";
    let (dump, binding) =
        one(&format!("f = \\ x -> case x of {{ A -> {long}; B -> g ({long}); C -> x }}\n"));
    let name = dump.core.names.find("g").expect("a name");
    let focus = dump
        .core
        .walk(binding.right)
        .find(|it| matches!(dump.core.exprs[*it], Expr::Variable(found) if found == name))
        .expect("its call");
    let expected =
        "f =\n  \\ x ->\n    case x of {\n      A -> ...\n      B -> g ...\n      C -> x\n    }";
    assert_eq!(dump.core.readable_marked(&binding, &[focus]).text, expected);
}
