//! Random trees, printed and read again.

use ghc::core::names::Name;
use ghc::core::tree::{
    Alternative, Argument, Attribute, Binder, BinderKind, Binding, Brackets, Coercion, Evidence,
    Expr, Field, Group, Key, LetKind, Linear, Pass, Pattern, Rewrite, Rule, RuleBody, Size, Top,
    Type, TypeBinder, Unfolding,
};
use ghc::core::tree::{Id, List};
use ghc::core::{Core, Dump};
use proptest::prelude::*;

use crate::printer;

const VARIABLES: [&str; 14] = [
    "x_a1",
    "y_X2",
    "GHC.Types.I#",
    "GHC.Base.++",
    "$fShow(,)4",
    ":",
    "GHC.Types.[]",
    "größe_r3",
    "(#_|#)",
    "GHC.Types.(# _| | #)",
    "GHC.Base..",
    "base-4.15.1.0:A.b",
    "⊕",
    "join",
];
const BOUND: [&str; 5] = ["x_a1", "y_X2", "+++_r1", "$j_s4", "größe_r3"];
const LITERALS: [&str; 8] =
    ["1#", "-1#", "2.5##", "\"a\\\"b\"#", "'x'#", "'\\''#", "3#Word8", "__label \"f\" (data)"];
const TYPES: [&str; 8] =
    ["a_a1", "GHC.Types.Int", "*", "GHC.Prim.~#", "D:R:Key[]0[0]", "T'", "[]", "()"];
const OPERATORS: [&str; 4] = ["~R#", ":+:", "T", "':"];

/// Makes a tree from a list of choices; without choices, everything is as small as possible.
struct Maker<'a> {
    core: Core,
    choices: &'a [u8],
}

impl Maker<'_> {
    fn choice(&mut self, of: usize) -> usize {
        let Some((first, rest)) = self.choices.split_first() else { return 0 };
        self.choices = rest;
        *first as usize % of
    }

    fn name(&mut self, of: &[&str]) -> Name {
        let text = of[self.choice(of.len())];
        self.core.names.name(text)
    }

    fn some<T>(&mut self, least: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = least + self.choice(3);
        (0..count).map(|_| make(self)).collect()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.choice(2) == 1).then(|| make(self))
    }

    fn type_(&mut self, evidence: bool) -> Id<Type> {
        let it = match self.choice(if evidence { 17 } else { 14 }) {
            0 => Type::Name(self.name(&TYPES)),
            1 => Type::Literal(self.name(&["3", "\"s\"", "'c'"])),
            2 => {
                let head = self.type_(evidence);
                let arguments = self.some(1, |this| match this.choice(5) {
                    3 => {
                        let kind = this.type_(evidence);
                        this.core.types.add(Type::Invisible(kind))
                    }
                    4 => {
                        let kind = this.type_(evidence);
                        this.core.types.add(Type::Inferred(kind))
                    }
                    _ => this.type_(evidence),
                });
                // An application of an application is printed as one, with brackets.
                Type::Apply(head, self.core.type_lists.add_all(arguments))
            }
            3 => Type::Infix(self.type_(evidence), self.name(&OPERATORS), self.type_(evidence)),
            4 => {
                Type::Function(self.type_(evidence), self.name(&["->", "=>"]), self.type_(evidence))
            }
            5 => {
                let name = self.name(&["One", "m_a1", "GHC.Types.Many"]);
                let multiplicity = self.core.types.add(Type::Name(name));
                let (from, arrow, to) =
                    (self.type_(evidence), self.name(&["->"]), self.type_(evidence));
                Type::Linear(self.core.linears.add(Linear { multiplicity, from, arrow, to }))
            }
            6 => Type::Forall(self.type_binders(), self.type_(evidence)),
            7 => Type::VisibleForall(self.type_binders(), self.type_(evidence)),
            8 => {
                let (brackets, least) =
                    [(Brackets::Round, 2), (Brackets::Unboxed, 0)][self.choice(2)];
                let items = self.some(least, |this| this.type_(evidence));
                Type::Tuple(brackets, self.core.type_lists.add_all(items))
            }
            9 => {
                let items = self.some(2, |this| this.type_(evidence));
                Type::Sum(self.core.type_lists.add_all(items))
            }
            10 => {
                let items = self.some(1, |this| this.type_(evidence));
                Type::List(self.core.type_lists.add_all(items))
            }
            11 => {
                let name = self.name(&["GHC.Types.True", "T'", "[]", ":"]);
                Type::Promoted(self.core.types.add(Type::Name(name)))
            }
            12 => Type::Signature(self.type_(evidence), self.type_(evidence)),
            13 => Type::Implicit(self.name(&["?x"]), self.type_(evidence)),
            14 => Type::Reflexive(self.type_(evidence), self.name(&["_N", "_R"])),
            15 => Type::Role(self.type_(evidence), self.name(&["_N", "_P"])),
            _ => Type::Infix(self.type_(true), self.core.names.name(";"), self.type_(true)),
        };
        self.core.types.add(it)
    }

    fn type_binders(&mut self) -> List<TypeBinder> {
        let binders = self.some(1, |this| TypeBinder {
            name: this.name(&["a_a1", "k"]),
            kind: this.maybe(|this| this.type_(false)),
            inferred: this.choice(2) == 1,
        });
        self.core.type_binders.add_all(binders)
    }

    fn coercion(&mut self) -> Id<Coercion> {
        let evidence = match self.choice(2) {
            0 => Evidence::Size(self.choice(99) as u32),
            _ => Evidence::Term(self.type_(true)),
        };
        // Kinds are within the brackets of evidence, and are read like evidence.
        let kind = self.maybe(|this| this.type_(false));
        self.core.coercions.add(Coercion { evidence, kind })
    }

    fn expr(&mut self) -> Id<Expr> {
        let it = match self.choice(14) {
            0 => Expr::Variable(self.name(&VARIABLES)),
            1 => Expr::Literal(self.name(&LITERALS)),
            2 | 3 => {
                let head = self.expr();
                let arguments = self.some(1, |this| match this.choice(4) {
                    0 => Argument::Type(this.type_(false)),
                    1 => Argument::Coercion(this.coercion()),
                    _ => Argument::Value(this.expr()),
                });
                Expr::Apply(head, self.core.arguments.add_all(arguments))
            }
            4 => Expr::Jump(self.name(&["$j_s4"])),
            5 => Expr::Foreign(
                self.name(&["__ffi_static_ccall_safe main:f", "__pkg_ccall main"]),
                self.foreign_type(),
            ),
            6 => {
                let binders = self.some(1, Self::binder);
                Expr::Lambda(self.core.binders.add_all(binders), self.expr())
            }
            7 | 8 => {
                let kind = [LetKind::Let, LetKind::LetRec, LetKind::Join, LetKind::JoinRec]
                    [self.choice(4)];
                let bindings = self
                    .some(1, |this| this.binding(matches!(kind, LetKind::Join | LetKind::JoinRec)));
                Expr::Let(kind, self.core.bindings.add_all(bindings), self.expr())
            }
            9 | 10 => self.case(),
            11 => Expr::Cast(self.expr(), self.coercion()),
            12 => Expr::Tick(
                self.name(&["src<a b.hs:(1,2)-(3,4)>", "scc<f>", "hpc<Main,3>", "break<3>(x,y)"]),
                self.expr(),
            ),
            _ => {
                let (brackets, least) =
                    [(Brackets::Round, 2), (Brackets::Unboxed, 0), (Brackets::Constraint, 1)]
                        [self.choice(3)];
                let elements = self.some(least, Self::expr);
                Expr::Tuple(brackets, self.core.elements.add_all(elements))
            }
        };
        self.core.exprs.add(it)
    }

    /// GHC 8 takes lower-case words before the type for the package.
    fn foreign_type(&mut self) -> Id<Type> {
        let name = self.name(&["GHC.Prim.Int#", "[]"]);
        self.core.types.add(Type::Name(name))
    }

    fn case(&mut self) -> Expr {
        let scrutinee = self.expr();
        let binder = self.maybe(|this| {
            let name = this.name(&BOUND);
            let notes = this.attributes(false);
            this.core.binders.add(Binder {
                name,
                kind: BinderKind::Value,
                signature: None,
                notes,
                unfolding: None,
            })
        });
        let alternatives = self.some(0, |this| {
            let pattern = match this.choice(4) {
                0 => Pattern::Default,
                1 => Pattern::Literal(this.name(&LITERALS)),
                2 => Pattern::Constructor(this.name(&[
                    "GHC.Types.I#",
                    ":",
                    "(#_|#)",
                    "GHC.Types.[]",
                ])),
                _ => Pattern::Tuple(Brackets::Unboxed),
            };
            let binders = this.some(0, Self::binder);
            Alternative { pattern, binders: this.core.binders.add_all(binders), right: this.expr() }
        });
        Expr::Case(scrutinee, binder, self.core.alternatives.add_all(alternatives))
    }

    fn binder(&mut self) -> Binder {
        if self.choice(3) == 2 {
            let signature = self.maybe(|this| this.type_(false));
            let name = self.name(&["a_a1", "_"]);
            return Binder {
                name,
                kind: BinderKind::Type,
                signature,
                notes: List::EMPTY,
                unfolding: None,
            };
        }
        let name = self.name(&BOUND);
        let notes = self.attributes(false);
        let signature = self.maybe(|this| this.type_(false));
        let unfolding = signature.and_then(|_| self.maybe(Self::unfolding));
        Binder { name, kind: BinderKind::Value, signature, notes, unfolding }
    }

    fn binding(&mut self, is_join: bool) -> Binding {
        let name = self.name(&BOUND);
        let signature = self.maybe(|this| this.type_(false));
        let notes = self.attributes(false);
        let info = if signature.is_some() { self.attributes(true) } else { List::EMPTY };
        let parameters = if is_join { self.some(0, Self::binder) } else { Vec::new() };
        let parameters = self.core.binders.add_all(parameters);
        Binding { name, signature, notes, info, parameters, right: self.expr(), line: 0 }
    }

    fn attributes(&mut self, of_binding: bool) -> List<Attribute> {
        let mut items = Vec::new();
        if of_binding && self.choice(2) == 1 {
            items.push(Attribute::Text(Key::Scope, self.name(&["GblId", "LclId"])));
            if self.choice(2) == 1 {
                items.push(Attribute::Text(
                    Key::Details,
                    self.name(&["JoinId(2)(Just [!, ~])", "DFunId"]),
                ));
            }
        }
        items.extend(self.some(0, |this| match this.choice(if of_binding { 7 } else { 4 }) {
            0 => Attribute::Text(Key::Occurrence, this.name(&["Once1!", "Dead", "LoopBreaker"])),
            1 => Attribute::Text(
                Key::Strictness,
                this.name(&["<S(LS),1*U(A,1*U)>b", "<1!P(L)><L>{x->L}"]),
            ),
            2 => Attribute::Text(Key::Flag, this.name(&["Inlineable"])),
            3 => Attribute::Text(
                Key::Other(this.core.names.name("New")),
                this.name(&["[~1, 2]", "a b"]),
            ),
            4 => Attribute::Text(Key::Arity, this.name(&["1", "12"])),
            5 => Attribute::Unfolding(this.unfolding()),
            _ => {
                let rules = this.some(1, Self::rule);
                Attribute::Rules(this.core.rules.add_all(rules))
            }
        }));
        self.core.attributes.add_all(items)
    }

    fn unfolding(&mut self) -> Id<Unfolding> {
        let it = match self.choice(2) {
            0 => Unfolding::Text(self.name(&[
                "OtherCon [A, (,)]",
                "DFun: \\ (@a) -> C TYPE: T a f",
                "No unfolding",
            ])),
            _ => {
                let fields = self.some(0, |this| Field {
                    key: this.name(&["Src", "Guidance"]),
                    value: this.name(&[
                        "<vanilla>",
                        "IF_ARGS [30 0] 90 10",
                        "ALWAYS_IF(arity=1,unsat_ok=True)",
                    ]),
                });
                let template = self.maybe(Self::expr);
                Unfolding::Core(self.core.fields.add_all(fields), template)
            }
        };
        self.core.unfoldings.add(it)
    }

    fn rule(&mut self) -> Rule {
        let name = self.name(&["SPEC f", "a \"b\" c", "++/assoc"]);
        let body = if self.choice(3) == 2 {
            RuleBody::BuiltIn(self.name(&["f", "GHC.Base.++"]))
        } else {
            let activation = self.maybe(|this| this.name(&["[2]", "[~1]"]));
            let binders = self.some(0, Self::binder);
            let binders = self.core.binders.add_all(binders);
            let (left, right) = (self.expr(), self.expr());
            RuleBody::Rewrite(self.core.rewrites.add(Rewrite { activation, binders, left, right }))
        };
        Rule { name, body, line: 0 }
    }

    fn pass(&mut self) -> Pass {
        let size = self.maybe(|this| Size { terms: this.choice(256) as u32, ..Size::default() });
        let groups = self.some(1, |this| {
            let recursive = this.choice(2) == 1;
            let least = 1;
            let count = if recursive { least + this.choice(2) } else { least };
            let tops: Vec<Top> = (0..count)
                .map(|_| {
                    let binding = this.binding(false);
                    Top { binding: this.core.bindings.add(binding), size }
                })
                .collect();
            Group { recursive, bindings: this.core.tops.add_all(tops) }
        });
        let rules = self.some(0, Self::rule);
        let title = Some(self.name(&["Tidy Core", "Float out(FOS {Lam = Just 0})"]));
        let (groups, rules) = (self.core.groups.add_all(groups), self.core.rules.add_all(rules));
        Pass { title, size, groups, rules, line: 0 }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_as_the_same_tree(choices in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut maker = Maker { core: Core::default(), choices: &choices };
        let passes = maker.some(1, Maker::pass);
        let dump = Dump { core: maker.core, passes, ..Dump::default() };
        let text = printer::dump(&dump);
        let again = Dump::read(text.as_bytes());
        prop_assert_eq!(&again.problems, &[], "{}", text);
        prop_assert_eq!(printer::dump(&again), text);
    }
}
