let rec build d = if d = 0 then [] else d :: build (d - 1)
let () = let n = ref 0 in for _ = 1 to 50 do n := !n + List.length (build 20000) done; print_int !n
