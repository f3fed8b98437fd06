(* What MLton's program does; `world` keeps the whole program, list and all, as it stands before the
   last step, in a file from which `@MLton load-world FILE --` goes on. *)

fun world (file, n) =
  let
    val made = list n
    val _ = MLton.World.save file
  in
    say made
  end

val () =
  case CommandLine.arguments () of
    ["list", n] => say (list (number n))
  | ["accumulated", n] => say (accumulated (number n))
  | ["world", file, n] => world (file, number n)
  | _ => misuse "list|accumulated N | world FILE N"
