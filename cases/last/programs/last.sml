(* A list of 1 to n, made in two ways, and its last element: for every Standard ML. *)

fun list n =
  let
    fun from i = if i > n then [] else i :: from (i + 1)
  in
    from 1
  end

fun accumulated n =
  let
    fun downFrom (0, tail) = tail
      | downFrom (i, tail) = downFrom (i - 1, i :: tail)
  in
    downFrom (n, [])
  end

fun last [] = raise Fail "an empty list has no last element"
  | last [x] = x
  | last (_ :: rest) = last rest

fun say list = print (Int.toString (last list) ^ "\n")

fun number text = valOf (Int.fromString text)

fun misuse usage =
  ( TextIO.output (TextIO.stdErr, "usage: last " ^ usage ^ "\n")
  ; OS.Process.exit OS.Process.failure
  )
