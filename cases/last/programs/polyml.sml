(* What Poly/ML's program does: `polyc` makes a program of the function `main`. *)

use "last.sml";

fun main () =
  case CommandLine.arguments () of
    ["list", n] => say (list (number n))
  | ["accumulated", n] => say (accumulated (number n))
  | _ => misuse "list|accumulated N"
