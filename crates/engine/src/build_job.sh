# Runs a build, and leaves its exit status in $job/status: whoever finds none knows nothing.
# Given: job, tree, cwd, and `build`, a function that becomes the build.
cd "$cwd" && setsid=$(command -v setsid) && env=$(command -v env) || exit 1
# Of several jobs about the same, one builds.
mkdir "$job/began" || exit 1
# A shared file system may remember what was in the folders before.
find "$tree" -type d >/dev/null 2>&1
build >"$job/log" 2>&1 </dev/null &
build=$!
end() { kill -s KILL -- "-$build" 2>/dev/null; }
trap 'end; exit 1' TERM INT HUP
# Ends the build when nobody waits for it any more: the folder is gone, or `alive` stays the same.
(
    told='' silent=0
    while sleep 1; do
        now=$(cat "$job/alive")
        if [ "$now" = "$told" ]; then silent=$((silent + 1)); else told=$now silent=0; fi
        if [ ! -d "$job" ] || [ "$silent" -ge 300 ] || ! kill -s 0 $$; then
            end
            kill -s KILL $$
            exit
        fi
    done
) >/dev/null 2>&1 &
watcher=$!
wait "$build"
status=$?
end
# Whoever ended the build may be about to end this job.
[ "$status" -eq 0 ] || sleep 1
kill "$watcher"
echo "$status" >"$job/.status" && mv "$job/.status" "$job/status"
