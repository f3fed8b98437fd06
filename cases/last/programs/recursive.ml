(* The list of 1 to n by plain recursion, in constant stack: from 4.14 on the compiler writes each
   cell before its tail is known. *)
let list n =
  let[@tail_mod_cons] rec from i = if i > n then [] else i :: from (i + 1) in
  from 1
