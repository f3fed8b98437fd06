#!/bin/sh
# Installs brisk, its manual page and completions below PREFIX, by default ~/.local. Needs no root.
#   ./install.sh [PREFIX]
#   ./install.sh --uninstall [PREFIX]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
remove=
if [ "${1:-}" = --uninstall ]; then remove=1; shift; fi
prefix=${1:-$HOME/.local}
cd "$here"
if [ -n "$remove" ]; then
    find bin share -type f | while read -r file; do rm -f "$prefix/$file"; done
    rmdir "$prefix/share/doc/brisk" 2>/dev/null || true
    exit
fi
"$here/bin/brisk" --version >/dev/null || {
    printf 'error: this brisk does not run here\ncause: it is for Linux on %s, this is %s on %s\n' \
        "${here##*/}" "$(uname -s)" "$(uname -m)" >&2
    exit 2
}
find bin share -type f | while read -r file; do
    mkdir -p "$prefix/${file%/*}"
    cp "$file" "$prefix/$file.new"
    mv "$prefix/$file.new" "$prefix/$file"
done
echo "$("$prefix/bin/brisk" --version) is in $prefix/bin"
case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "that is not on your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
for tool in git valgrind; do
    command -v $tool >/dev/null || echo "there is no $tool: histories need git; explain and exact counts need valgrind"
done
