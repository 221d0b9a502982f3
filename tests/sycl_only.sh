#!/bin/sh
# Builds Cambium against DPC++ alone, without oneMKL, oneDNN and TBB, as an open-source intel/llvm build for NVIDIA or AMD
# GPUs has it, and runs the self-test with what is left: the portable backends.
#   tests/sycl_only.sh <folder with oneAPI> <build folder>
set -eu

oneapi=$(realpath "$1")
build=$2
source=$(dirname "$(dirname "$(realpath "$0")")")

# The same libraries under another root, where the headers of oneMKL, oneDNN and TBB are missing.
rm -rf "$build"
mkdir -p "$build/root/include" "$build/work"
ln -s "$oneapi/lib" "$build/root/lib"
for header in sycl CL unified-runtime; do
  ln -s "$oneapi/include/$header" "$build/root/include/$header"
done

cmake -G Ninja -S "$source" -B "$build/work" -DCAMBIUM_ONEAPI_ROOT="$build/root" -DBUILD_TESTING=OFF \
  -DCMAKE_CXX_FLAGS_RELEASE=-O0 # What is tested are the kernels, which are compiled when they run.
cmake --build "$build/work"
"$build/work/cambium" devices | tee "$build/devices.txt"
if grep -E '(native|onemkl|onednn) +works' "$build/devices.txt"; then
  echo "a backend works that should not have been built" >&2
  exit 1
fi
"$build/work/cambium" selftest
