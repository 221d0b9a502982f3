#!/bin/sh
# Installs what Cambium needs: Debian's packages, and a private environment with pinned wheels.
#   setup/install.sh [--tests] [folder of the environment [oneapi|peer|nvidia]]
# --tests adds the packages that only the tests need. Without a folder, it installs packages only.
# Does nothing, quickly, where everything is there already. Without root it changes nothing outside the environment.
set -eu

here=$(dirname "$0")
lists=$here/debian-packages.txt
if [ "${1-}" = --tests ]; then
  lists="$lists $here/debian-test-packages.txt"
  shift
fi
environment=${1-}
wheels=$here/${2-oneapi}-wheels.txt
python=/usr/bin/python3 # Debian's own, whatever else is on the PATH

missing=
for package in $(sed 's/#.*//' $lists); do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "Cambium needs these Debian packages, and installing them needs root. Run this, then try again:" >&2
    echo "    sudo apt-get update && sudo apt-get install --no-install-recommends -y$missing" >&2
    exit 2
  fi
  echo "Installing Debian packages:$missing"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends -y $missing >/dev/null
fi

# The list itself, copied in last, marks a complete environment.
if [ -n "$environment" ] && ! cmp -s "$wheels" "$environment/wheels.txt"; then
  case $wheels in
    */oneapi-wheels.txt) echo "Installing DPC++, oneMKL and oneDNN into $environment (about 1 GB to fetch, 2.6 GB on disk)" ;;
    */nvidia-wheels.txt) echo "Installing ptxas and nvdisasm into $environment (46 MB to fetch, 150 MB on disk)" ;;
    */peer-wheels.txt) echo "Installing PyTorch and JAX into $environment (about 2.5 GB to fetch, 4.4 GB on disk)" ;;
  esac
  rm -rf "$environment"
  "$python" -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --no-compile --no-deps --require-hashes \
    --requirement "$wheels"
  cp "$wheels" "$environment/wheels.txt"
fi
