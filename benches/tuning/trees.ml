(* Trees that live and trees that die: a deep one is kept while small ones come and go. *)
type tree = Leaf | Node of tree * tree

let rec make depth = if depth = 0 then Leaf else Node (make (depth - 1), make (depth - 1))
let rec count = function Leaf -> 1 | Node (left, right) -> count left + count right

let () =
  let depth = int_of_string Sys.argv.(1) in
  let kept = make depth in
  let seen = ref 0 in
  for _ = 1 to 1 lsl (depth - 12) do
    seen := !seen + count (make 12)
  done;
  print_int (!seen + count kept)
