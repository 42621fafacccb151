#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing for a set of tools/packages.txt (build, test or style) and makes .venv. Says what it does.
# With nothing missing it asks no network and returns at once.
set -eu
cd "$(dirname "$0")/.."
set_wanted=${1:-test}
case $set_wanted in
  build) sets="build" ;;
  test) sets="build test" ;;
  style) sets="build test style" ;;
  *) echo "bootstrap: unknown set '$set_wanted'; one of: build test style" >&2; exit 2 ;;
esac
venv=.venv
requirements=tools/requirements.txt

say() { echo "bootstrap: $*"; }
die() { echo "bootstrap: error: $*" >&2; exit 1; }

# Prints the packages of the wanted sets that dpkg does not know as installed.
missing_packages() {
  wanted=$(awk -v sets="$sets" 'BEGIN { n = split(sets, s, " "); for (i = 1; i <= n; i++) on[s[i]] = 1 }
                                !/^#/ && ($1 in on) { print $2 }' tools/packages.txt)
  # shellcheck disable=SC2086
  have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null || true)
  for package in $wanted; do
    echo "$have" | grep -qx "$package installed" || printf '%s ' "$package"
  done
}

# Runs a command without its chatter; shows the end of it if the command fails.
quietly() {
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then rm -f "$log"; return 0; fi
  tail -n 30 "$log" >&2
  rm -f "$log"
  return 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt_install() {
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    die "these packages are missing and this user is neither root nor has sudo: $*
       as root: apt-get update && apt-get install --no-install-recommends $*"
  fi
  say "apt packages to install: $*"
  quietly as_root apt-get -q -o DPkg::Lock::Timeout=300 update ||
    say "apt-get update failed; going on with the package lists that are here"
  absent=""
  for package in "$@"; do
    LC_ALL=C apt-cache policy "$package" | grep -q '^  Candidate: [^(]' || absent="$absent $package"
  done
  if [ -n "$absent" ]; then
    die "this machine's apt sources do not offer:$absent
       Debian 12 has them in component main of bookworm, and LLVM 22 in bookworm-security:
       add the suite that is missing under /etc/apt and run this again"
  fi
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends "$@" || die "apt-get could not install: $*"
}

usable_python() {
  "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
  for python in /usr/bin/python3 python3 python3.13 python3.12 python3.11; do
    if usable_python "$python"; then echo "$python"; return; fi
  done
}

make_venv() {
  python=$(find_python)
  if [ -z "$python" ]; then
    say "no Python 3.11 or newer with venv is here"
    apt_install python3 python3-venv
    python=$(find_python)
    [ -n "$python" ] || die "Lockstep's tests need Python 3.11 or newer; this system's python3 is older"
  fi
  say "making $venv with $("$python" --version) and $(grep -c == "$requirements") pinned packages"
  rm -rf "$venv"
  "$python" -m venv "$venv"
  quietly "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$requirements" ||
    die "pip could not install $requirements (is the package index reachable?)"
  echo "$stamp" > "$venv/lockstep-stamp"
}

command -v dpkg-query >/dev/null || die "this is no Debian system (no dpkg-query): install by hand what
       tools/packages.txt and $requirements name, then use cmake --preset release"
missing=$(missing_packages)
# shellcheck disable=SC2086
[ -z "$missing" ] || apt_install $missing

stamp=$(sha256sum < "$requirements")
if [ "$(cat "$venv/lockstep-stamp" 2>/dev/null)" = "$stamp" ] &&
   "$venv/bin/python" -c 'import tinygrad, numpy, pytest' 2>/dev/null; then
  say "everything for '$set_wanted' is here"
else
  make_venv
  say "ready for '$set_wanted'"
fi
