fun build 0 = [] | build d = d :: build (d - 1)
fun loop (0, n) = n | loop (k, n) = loop (k - 1, n + length (build 20000))
val () = print (Int.toString (loop (50, 0)) ^ "\n")
