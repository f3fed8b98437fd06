(* A list of 1 to N, and its last element; or the list kept in a file, and read back. `Build` is
   `Recursive` where the compiler can do that, else `Accumulated`. *)

let rec last = function
  | [ x ] -> x
  | _ :: rest -> last rest
  | [] -> failwith "an empty list has no last element"

let say list = Printf.printf "%d\n" (last list)

let say_and_save flags file list =
  let channel = open_out_bin file in
  Marshal.to_channel channel list flags;
  close_out channel;
  say list

let load file : int list =
  let channel = open_in_bin file in
  let list = Marshal.from_channel channel in
  close_in channel;
  list

let say_and_count list =
  say list;
  Gc.print_stat stdout;
  (* So that the list is alive while it is counted. *)
  ignore (Sys.opaque_identity list)

let usage = "usage: last list|accumulated|counted N | save|save-shared FILE N | load FILE"

let () =
  match List.tl (Array.to_list Sys.argv) with
  | [ "list"; n ] -> say (Build.list (int_of_string n))
  | [ "accumulated"; n ] -> say (Accumulated.list (int_of_string n))
  | [ "counted"; n ] -> say_and_count (Build.list (int_of_string n))
  | [ "save"; file; n ] ->
      say_and_save [ Marshal.No_sharing ] file (Build.list (int_of_string n))
  | [ "save-shared"; file; n ] -> say_and_save [] file (Build.list (int_of_string n))
  | [ "load"; file ] -> say (load file)
  | _ ->
      prerr_endline usage;
      exit 2
