(* The list of 1 to n from its end, for every OCaml. Before 4.14 a plain recursion needs stack for
   each element. Writing tails into cells by `Obj.set_field` is no way out: a first cell that the
   compiler takes for a constant is never seen by the collector, and the list is freed under it. *)
let list n =
  let rec down_from i tail = if i = 0 then tail else down_from (i - 1) (i :: tail) in
  down_from n []
