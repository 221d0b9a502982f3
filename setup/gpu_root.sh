#!/bin/sh
# Unpacks PoCL and the offline compilers for Intel and AMD GPUs into a folder that can be used as a root folder.
#   setup/gpu_root.sh [folder, default build/gpu-root]
# The packages (setup/gpu-root-packages.txt) come from Debian forky and sid, through the mirror that this machine uses.
# About 250 MB to fetch, 1.1 GB on disk. Needs neither root nor mounts, and installs nothing outside the folder.
# Exits quickly if the folder is complete: a copy of this script and of the list marks it.
set -eu

here=$(dirname "$0")
root=${1-build/gpu-root}
stamp=$root/gpu-root-stamp

if [ -f "$stamp" ] && cat "$0" "$here/gpu-root-packages.txt" | cmp -s - "$stamp"; then exit 0; fi

for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || {
    echo "setup/gpu_root.sh: $tool not found; the offline compilers come as Debian packages. Run this on Debian or Ubuntu" >&2
    exit 2
  }
done
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | sed 's/#.*//' |
  grep -oE 'https?://[^] ]+/debian/?( |$)' | head -n 1 | tr -d ' ')
mirror=${mirror:-http://deb.debian.org/debian}

echo "Unpacking PoCL and the offline compilers for Intel and AMD GPUs into $root (about 250 MB to fetch, 1.1 GB on disk)"
rm -rf "$root"
mkdir -p "$root"
root=$(cd "$root" && pwd)
stamp=$root/gpu-root-stamp
apt=$root/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status" # no package is installed yet, so that apt fetches every dependency
printf 'deb %s forky main\ndeb %s sid main\n' "$mirror" "$mirror" >"$apt/sources.list"
printf 'Package: *\nPin: release n=sid\nPin-Priority: 100\n' >"$apt/preferences"
cat >"$apt/apt.conf" <<END
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "$apt/preferences";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
export APT_CONFIG="$apt/apt.conf"
apt-get update -qq
apt-get install -qq -y --download-only $(sed 's/#.*//' "$here/gpu-root-packages.txt") >"$apt/log" 2>&1 || {
  cat "$apt/log" >&2
  echo "setup/gpu_root.sh: the packages above could not be fetched from $mirror" >&2
  exit 3
}
unset APT_CONFIG

# Debian's merged layout, which packages expect to find.
for folder in bin sbin lib lib64; do
  mkdir -p "$root/usr/$folder"
  ln -s "usr/$folder" "$root/$folder"
done
mkdir -p "$root/dev" "$root/etc" "$root/proc" "$root/root" "$root/sys" "$root/tmp" "$root/var/tmp"
# Documentation and the header files of the compilers' own libraries are left out; PoCL needs those of clang.
# tar keeps the merged links where a package has a real folder of that name.
find "$apt/cache/archives" -name '*.deb' -print0 |
  xargs -0 -P 2 -I '{}' sh -c 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink --no-same-owner \
    --exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./usr/share/locale' sh '{}' "$root"
rm -rf "$apt"
# The linker's cache, without which dlopen by soname fails; only root may change its root folder.
if [ "$(id -u)" -eq 0 ]; then chroot "$root" ldconfig; fi
cat "$0" "$here/gpu-root-packages.txt" >"$stamp"
