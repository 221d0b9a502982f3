#!/bin/sh
# Checks that a source of layers/ can include what is below the room, and nothing above it.
#   tests/includes.sh <compiler> <folder of the sources> <compile options of the room>...
set -eu

compiler=$1
source=$2
shift 2

# compiles_with HEADER OPTION...: tries to compile a source that includes the header.
compiles_with() {
  header=$1
  shift
  test -f "$source/$header" || { echo "$header does not exist; name another header in tests/includes.sh" >&2; exit 1; }
  echo "#include \"$header\"" | (cd / && "$compiler" -std=c++20 "$@" -fsyntax-only -x c++ -) 2>"$errors"
}
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

for header in base/error.hpp sycl/device.hpp layers/network.hpp; do
  compiles_with $header "$@" || { cat "$errors" >&2; echo "layers cannot include $header" >&2; exit 1; }
done
for header in optim/optimizer.hpp plasticity/edit.hpp streams/stream.hpp lab/run/run.hpp; do
  if compiles_with $header "$@"; then echo "layers can include $header, a room above it" >&2; exit 1; fi
  grep -q "$header: No such file\|'$header' file not found" "$errors" || { cat "$errors" >&2; exit 1; }
done
