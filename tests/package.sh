#!/bin/sh
# Installs the library and the program, builds examples/train against the installed package, and runs it.
#   tests/package.sh <cmake> <build folder> <folder of the example>
set -eu

cmake=$1
build=$2
example=$3
prefix=$build/package/prefix

rm -rf "$build/package"
"$cmake" --install "$build" --prefix "$prefix" >/dev/null
"$prefix/bin/cambium" --version
"$cmake" -G Ninja -S "$example" -B "$build/package/example" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$build/package/example"
"$build/package/example/train" "$build/package/run"
test -f "$build/package/run/result.json"
