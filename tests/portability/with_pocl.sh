#!/bin/sh
# Runs a program of Cambium on PoCL, a second OpenCL runtime for CPUs.
#   tests/portability/with_pocl.sh [--beside LIBRARY] ROOT PROGRAM [ARGUMENT...]
# ROOT is a folder that setup/gpu_root.sh has made. LIBRARY is another OpenCL runtime, such as libintelocl.so, whose
# devices the program sees as well, before PoCL's. Needs neither root nor mounts.
#
# PoCL's packages are newer than the C library of Debian 12, so the program runs with the dynamic loader and the C
# library of ROOT; its other libraries are the ones it was built with. The two programs that PoCL calls to build a
# kernel are started in the same way. POCL_CACHE_DIR, where PoCL keeps built kernels, is ROOT/pocl-cache unless set.
set -eu

beside=
if [ "$1" = --beside ]; then
  beside=$2
  shift 2
fi
root=$(realpath "$1")
program=$2
shift 2

fail() {
  echo "tests/portability/with_pocl.sh: $1" >&2
  exit 2
}

loader=$root/lib64/ld-linux-x86-64.so.2
libraries=$root/usr/lib/x86_64-linux-gnu
pocl=$libraries/libpocl.so.2
[ -e "$loader" ] && [ -e "$pocl" ] || fail "there is no PoCL in $root; make the folder with setup/gpu_root.sh $root"
[ -z "$beside" ] || [ -e "$beside" ] || fail "$beside: no such OpenCL runtime"

# wrap NAME PROGRAM: makes ROOT/pocl-tools/NAME, which runs a program of ROOT.
wrap() {
  [ -x "$2" ] || fail "$2 is missing, which PoCL needs to build kernels; make the folder anew with setup/gpu_root.sh"
  made=$root/pocl-tools/$1.$$
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$libraries" "$2" >"$made"
  chmod +x "$made"
  mv "$made" "$root/pocl-tools/$1"
}

mkdir -p "$root/pocl-tools"
wrap llvm-spirv "$(ls "$root"/usr/bin/llvm-spirv-* | head -n 1)"
wrap clang "$(ls "$root"/usr/lib/llvm-*/bin/clang-[0-9]* | head -n 1)"
export POCL_PATH_LLVM_SPIRV="$root/pocl-tools/llvm-spirv" POCL_PATH_CLANG="$root/pocl-tools/clang"
export POCL_CACHE_DIR="${POCL_CACHE_DIR:-$root/pocl-cache}"
export OCL_ICD_FILENAMES="${beside:+$beside:}$pocl"
mkdir -p "$POCL_CACHE_DIR"
exec "$loader" --library-path "$libraries:/usr/lib/x86_64-linux-gnu" "$program" "$@"
