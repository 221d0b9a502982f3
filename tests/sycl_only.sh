#!/bin/sh
# Checks the program that is built with DPC++ alone: only its portable backends exist, and they pass the self-test.
#   tests/sycl_only.sh <cambium-sycl-only>
set -eu

cambium=$1
devices=$("$cambium" devices)
echo "$devices"
if echo "$devices" | grep -E '(native|onemkl|onednn) +works'; then
  echo "a backend works that should not have been built" >&2
  exit 1
fi
echo "$devices" | grep -qE 'portable +works' || { echo "the portable backend does not work" >&2; exit 1; }
"$cambium" selftest
