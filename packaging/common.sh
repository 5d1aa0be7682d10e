# shellcheck shell=bash disable=SC2034
# Functions and variables that the scripts of this folder share. Sourced by bash, never run.
#
# A script sets nothing before sourcing this file, which defines:
#   checkout     the folder that contains Package.swift
#   artefacts    the folder with the files that packaging/build creates; MFA_ARTEFACTS names a different one
#   trial_artefacts  the folder with the files that packaging/build --trial creates
#   script       the name of the script that sources this file
#   build_packages, fleet_packages, deb_packages, rpm_packages, release_version, release_time, release_changes, say, error, hint, fail, need_root, install_packages, find_swift,
#   has_apparmor, choose_builder, run_as, as_builder, files_with_module

set -euo pipefail
# The setuid helper and all other files are installed with explicit modes, never inherited ones.
umask 022
# The output of `date`, `sort` and programs whose messages are parsed does not depend on the locale.
# MFA_LOCALE has the caller's locale, for output that the user reads.
export MFA_LOCALE=${MFA_LOCALE:-${LC_ALL:-${LC_CTYPE:-${LANG:-C.UTF-8}}}}
export LC_ALL=C.UTF-8

script=${0##*/}
checkout=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
artefacts=${MFA_ARTEFACTS:-$checkout/dist}
trial_artefacts=$checkout/.build-trial/dist
export PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# Debian packages that a build needs in addition to Swift.
build_packages=(g++ git ca-certificates libpam0g-dev libssl-dev libqrencode-dev
  libpng-dev)

# Debian packages that building mfa-fleet and mfa-verifier needs in addition.
fleet_packages=(zlib1g-dev libpq-dev libcurl4-openssl-dev pkgconf)

# Debian packages that building Debian packages needs in addition.
deb_packages=(debhelper dh-apparmor dpkg-dev po-debconf fakeroot)

# Debian packages that building RPM packages needs in addition.
rpm_packages=(rpm)

# shellcheck source=packaging/files-with-module.sh
. "$checkout/packaging/files-with-module.sh"

say() { printf '%s: %s\n' "$script" "$*"; }
error() { printf '%s: error: %s\n' "$script" "$*" >&2; }
hint() { printf 'hint: %s\n' "$*" >&2; }

# fail MESSAGE [HINT]...: prints the error and what to do next, and ends the script.
fail() {
  error "$1"
  shift
  local line
  for line in "$@"; do hint "$line"; done
  exit 1
}

# need_root REASON: ends the script unless it runs as root.
need_root() {
  [ "$(id -u)" = 0 ] || fail "$1 requires root" "run: sudo packaging/$script"
}

# install_packages PACKAGE...: installs the named Debian packages that are missing.
install_packages() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: install the equivalents of these Debian packages: $*"
    return
  fi
  for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
      'install ok installed') ;;
      *) missing+=("$package") ;;
    esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "these Debian packages are missing: ${missing[*]}" \
    "sudo apt-get install --no-install-recommends ${missing[*]}"
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  # What apt-get prints is shown only if it fails.
  local log
  log=$(mktemp)
  # A fresh machine or container has no package lists, and existing lists may be outdated: after a
  # first failure the lists are updated and the installation is tried once more.
  if ! apt_install "${missing[@]}" >"$log" 2>&1; then
    say "updating the package lists"
    DEBIAN_FRONTEND=noninteractive apt-get update >"$log" 2>&1 \
      || say "the package lists could not be updated; continuing with the existing lists"
    if ! apt_install "${missing[@]}" >"$log" 2>&1; then
      cat "$log" >&2
      rm -f -- "$log"
      fail "apt-get could not install: ${missing[*]}" \
        "see the message above; install the packages yourself, then run packaging/$script again"
    fi
  fi
  rm -f -- "$log"
}

# apt_install PACKAGE...: runs apt-get install without starting the services of new packages, which
# are installed only for their files. Debian's policy-rc.d prevents the start; the file is removed
# afterwards. A terminal shows how far apt-get is.
apt_install() {
  local policy=/usr/sbin/policy-rc.d made=no status=0 reports progress
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 0755 "$policy"
    made=yes
  fi
  exec {reports}> >(show_apt_progress)
  progress=$!
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    --option "APT::Status-Fd=$reports" "$@" </dev/null || status=$?
  exec {reports}>&-
  wait "$progress" || true
  [ "$made" = no ] || rm -f -- "$policy"
  return "$status"
}

# show_apt_progress: shows the lines of APT::Status-Fd as one line at the terminal, if there is one. A line has the
# kind, the package, the percentage and a text, with colons between them.
show_apt_progress() {
  local kind percent text
  if ! { : >/dev/tty; } 2>/dev/null; then
    cat >/dev/null
    return
  fi
  while IFS=: read -r kind _ percent text; do
    case $kind in
      dlstatus | pmstatus) printf '\r\033[K%s: %3d %%  %s' "$script" "${percent%.*}" "$text" >/dev/tty ;;
    esac
  done
  printf '\r\033[K' >/dev/tty
}

# has_apparmor: whether the kernel has AppArmor and its tools are installed.
has_apparmor() { command -v apparmor_parser >/dev/null && aa-enabled --quiet 2>/dev/null; }

# choose_builder: sets `builder` to the user who owns the files of a build: the user who ran sudo,
# if that user can write to the checkout, and otherwise the current user.
choose_builder() {
  builder=$(id -un)
  if [ "$(id -u)" = 0 ] && [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ] \
    && id -u "$SUDO_USER" >/dev/null 2>&1 && run_as "$SUDO_USER" test -w "$checkout"; then
    builder=$SUDO_USER
  fi
}

# run_as NAME COMMAND...: runs a command with the user id, groups and home folder of NAME.
run_as() {
  local name=$1 home
  shift
  home=$(getent passwd "$name" | cut -d: -f6)
  env HOME="$home" USER="$name" LOGNAME="$name" \
    setpriv --reuid "$(id -u "$name")" --regid "$(id -g "$name")" --init-groups -- "$@"
}

# as_builder COMMAND...: runs a command as the builder.
as_builder() {
  if [ "$builder" = "$(id -un)" ]; then "$@"; else run_as "$builder" "$@"; fi
}

# find_swift: sets `swift` and `toolchain` (the folder with swift, clang, llvm-*) to the first
# Swift installation that is new enough.
find_swift() {
  local candidate version home seen=''
  home=$(getent passwd "${builder:-$(id -un)}" | cut -d: -f6)
  # MFA_SWIFT selects an installation on a machine that has several.
  for candidate in "${MFA_SWIFT:-}" \
    "$(command -v swift || true)" /opt/swift/usr/bin/swift /opt/swift*/usr/bin/swift \
    /usr/libexec/swift/*/usr/bin/swift /usr/libexec/swift/*/bin/swift /usr/share/swift/usr/bin/swift \
    "$home/.local/share/swiftly/bin/swift"; do
    if [ -z "$candidate" ] || [ ! -x "$candidate" ]; then continue; fi
    version=$(as_builder "$candidate" --version 2>/dev/null \
      | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || continue
    if [ "${version%%.*}" -gt 6 ] \
      || { [ "${version%%.*}" = 6 ] && [ "${version#*.}" -ge 3 ]; }; then
      swift=$candidate
      toolchain=$(dirname -- "$(as_builder "$swift" -print-target-info 2>/dev/null \
        | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')")
      toolchain=$(cd -- "$toolchain/../bin" && pwd -P)
      return 0
    fi
    seen="$seen $candidate ($version)"
  done
  [ -z "$seen" ] || error "Swift 6.3 or later is required, but only older versions were found:$seen"
  [ -n "$seen" ] || error "Swift 6.3 or later is required, but no Swift was found"
  hint "install it as described on https://www.swift.org/install/linux and add \`swift\` to the PATH"
  hint "or unpack a toolchain into /opt/swift, so that /opt/swift/usr/bin/swift exists"
  exit 1
}

# release_version: prints the version of this checkout, which is stated in Release.swift alone.
release_version() {
  sed -n 's/.*static var version: StaticString { "\([0-9][0-9.]*\)" }.*/\1/p' \
    "$checkout/Sources/Model/Model/Release.swift"
}

# release_time: prints the time of this checkout in seconds since the epoch, for files that must not depend on
# the time of a build: SOURCE_DATE_EPOCH, or the time of the last commit, or that of the list of changes.
release_time() {
  if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
    printf '%s\n' "$SOURCE_DATE_EPOCH"
  else
    git -C "$checkout" -c safe.directory='*' log -1 --format=%ct 2>/dev/null \
      || stat --format=%Y "$checkout/packaging/CHANGELOG.md"
  fi
}

# release_changes VERSION: prints the section of a version in CHANGELOG.md, without its heading.
release_changes() {
  awk -v heading="## $1" '/^## /{ inside = index($0, heading) == 1; next } inside' \
    "$checkout/packaging/CHANGELOG.md"
}
