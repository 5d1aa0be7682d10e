# shellcheck shell=bash disable=SC2154
# Functions for tests in a Debian system that systemd boots in a container. Sourced by bash after
# packaging/common.sh, never run.
#
# A script Tests/NAME/run sets these variables, defines these functions, and ends with `run_tests "$@"`:
#   tests            NAME
#   title            what is tested, for the message that it is skipped
#   part_seconds     how long a part may take (optional; 1800 seconds, also if the processors are busy)
#   tree_options     an array of options for mmdebstrap (optional)
#   outside SUITE    calls make_machine, boot, `inside PART` for each part, and end_checks
#   inside_PART      the checks of a part, which run in the container as root
#   before_part      what precedes each part in the container (optional)
#
# The tests and everything that they need are in /opt/mfa in the container. If a check fails, its name
# is in /opt/mfa/failed.

tree_options=()

# --- Outside: the system and its container ---

# make_machine SUITE [PACKAGE...]: makes the Debian system, with these packages too. Returns 1 after
# `skipped: ...` if Debian's packages cannot be had.
make_machine() {
  local file suite=$1
  shift
  need_root "booting a system"
  if ! (install_packages gcc libpam0g-dev mmdebstrap systemd-container) >/dev/null; then
    say "skipped: $title: mmdebstrap or systemd-nspawn cannot be installed"
    return 1
  fi
  for file in pam_mfa.so mfad mfa-helper mfa-enroll mfa-admin; do
    [ -s "$artefacts/$file" ] || fail "$artefacts/$file is missing" "build it: packaging/build"
  done
  work=$(mktemp -d /var/tmp/mfa-booted.XXXXXXXXXX) || fail "no folder in /var/tmp for the system"
  tree=$work/tree
  machine=
  trap remove EXIT
  trap 'exit 130' INT TERM HUP
  if ! make_tree "$suite" "$@" >"$work/output" 2>&1; then
    tail -n 3 "$work/output"
    say "skipped: $title: no packages for a Debian system ($suite)"
    return 1
  fi
}

# make_tree SUITE [PACKAGE...]: makes the Debian system, with the files that the tests need in /opt/mfa.
make_tree() {
  local suite=$1 packages=(systemd systemd-sysv libpam-modules libcap2-bin passwd login procps python3)
  shift
  case $suite in
    bookworm) packages+=(libssl3) ;;
    *) packages+=(libssl3t64) ;;
  esac
  packages+=("$@")
  timeout 1200 mmdebstrap --quiet --variant=minbase "${tree_options[@]}" --include="${packages[*]}" "$suite" "$tree" \
    </dev/null || return 1
  mkdir -p "$tree/opt/mfa/Tests/Support"
  cp -a "$checkout/dist" "$checkout/packaging" "$tree/opt/mfa/"
  cp -a "$checkout/Tests/$tests" "$tree/opt/mfa/Tests/"
  cp -a "$checkout/Tests/Support/booted-machine.sh" "$tree/opt/mfa/Tests/Support/"
  cp "$checkout/Tests/Benchmarks/enrol" "$tree/opt/mfa/"
  cc -O1 -Wall -Wextra -o "$tree/opt/mfa/pam-client" "$checkout/Tests/Support/pam-client/main.c" -lpam
}

# make_previous PACKAGE FOLDER: makes a Debian package of version 0.0.9 from one of the present version.
make_previous() {
  local old=$work/old version
  version=$(release_version)
  dpkg-deb --raw-extract "$1" "$old"
  sed -i "/^Version:/s/.*/Version: 0.0.9/; s/(= $version)/(= 0.0.9)/" "$old/DEBIAN/control"
  dpkg-deb --build --root-owner-group -Zgzip -z1 "$old" "$2" >/dev/null
  rm -r "$old"
}

# boot: starts the container, and waits until its systemd has started everything.
boot() {
  SYSTEMD_LOG_LEVEL=err systemd-nspawn --quiet --boot --directory="$tree" --register=no --keep-unit \
    --private-network --console=pipe --machine="mfa-${tests,,}" </dev/null >>"$work/console" 2>&1 &
  machine=$!
  leader=
  wait_for_machine
}

wait_for_machine() {
  local try old=$leader
  for ((try = 0; try < 3000; try++)); do
    sleep 0.1
    if ! kill -0 "$machine" 2>/dev/null; then
      # systemd-nspawn has left the restart to its caller.
      [ -n "$old" ] || break
      boot
      return
    fi
    leader=$(pgrep -P "$machine" | head -n 1 || true)
    if [ -z "$leader" ] || [ "$leader" = "$old" ]; then continue; fi
    case $(run_inside systemctl is-system-running 2>/dev/null || true) in
      running | degraded) return 0 ;;
    esac
  done
  tail -n 20 "$work/console"
  fail "the system does not boot"
}

# run_inside COMMAND...: runs a command in the container as root.
run_inside() {
  nsenter --target "$leader" --mount --uts --ipc --net --pid --cgroup --root \
    env --chdir=/ -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
}

# inside PART: runs a part of the test in the container.
inside() {
  run_inside timeout "${part_seconds:-1800}" /bin/bash "/opt/mfa/Tests/$tests/run" --inside "$1" \
    </dev/null || {
    printf 'FAILED: %s ended early\n' "$1"
    echo "$1" >>"$tree/opt/mfa/failed"
  }
}

# end_checks: fails if a check has failed.
end_checks() {
  [ ! -e "$tree/opt/mfa/failed" ] || fail "$(wc -l <"$tree/opt/mfa/failed") checks failed"
}

# remove: ends the container and removes the system. Runs whenever the script ends.
remove() {
  if [ -n "$machine" ] && kill -0 "$machine" 2>/dev/null; then
    kill -TERM "$machine" || true
    sleep 0.5
    kill -KILL "$leader" 2>/dev/null || true
    wait "$machine" || true
  fi
  rm -rf --one-file-system -- "$work"
}

# --- Inside: what the checks use ---

# expect WHAT FOUND WANTED: reports whether two values are equal.
expect() {
  if [ "$2" = "$3" ]; then
    printf 'ok: %s\n' "$1"
  else
    printf "FAILED: %s: expected \`%s\`, found \`%s\`\n" "$1" "$3" "$2"
    echo "$1" >>/opt/mfa/failed
  fi
}

# wait_until COMMAND...: waits until a command succeeds, 3 minutes at most.
wait_until() {
  local try
  for ((try = 0; try < 1800; try++)); do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.1
  done
  return 1
}

# is_empty FOLDER
is_empty() { [ -z "$(ls "$1")" ]; }

property() { systemctl show --value --property="$1" "$2"; }

# states COMMAND UNIT...: prints the words that systemctl prints for units, on one line.
states() { systemctl "$@" 2>/dev/null | xargs || true; }

# as_user NAME COMMAND...: runs a command as a user.
as_user() {
  local name=$1
  shift
  setpriv --reuid="$name" --regid="$name" --clear-groups -- "$@"
}

# enrol USER: enrols a user through the helper, and prints the secret in hexadecimal. The service
# mfa-enroll must not ask for a password.
enrol() { as_user "$1" /opt/mfa/enrol /usr/lib/mfa/mfa-helper; }

# code: prints a code of the secret in /opt/mfa/secret that is not used yet. Codes of later time steps
# make earlier ones invalid.
code() {
  python3 - <<'CODE'
import hashlib, hmac, pathlib, struct, time
secret = bytes.fromhex(pathlib.Path("/opt/mfa/secret").read_text())
last = pathlib.Path("/opt/mfa/step")
step = max(int(last.read_text()) + 1 if last.exists() else 0, int(time.time()) // 30 - 2)
time.sleep(max((step - 2) * 30 - time.time(), 0))
last.write_text(str(step))
digest = hmac.new(secret, struct.pack(">Q", step), hashlib.sha1).digest()
at = digest[-1] & 15
print("%06d" % ((struct.unpack_from(">I", digest, at)[0] & 0x7FFFFFFF) % 1000000), end="")
CODE
}

# sign_in USER CODE [COMMAND...]: prints the result of a sign-in by a PAM application, which COMMAND
# starts.
sign_in() {
  local user=$1 answer=$2
  shift 2
  printf '\0\0\0\006%s' "$answer" | "$@" /opt/mfa/pam-client mfa-test "$user" --account \
    | result
}

# result: prints the last result that pam-client reports.
result() { sed -n 's/.*"event":"result".*"code":"\([A-Z_]*\)".*/\1/p' | tail -n 1; }

# held_sign_in USER CODE COMMAND...: signs in, runs a command while the prompt is open, and prints the result.
held_sign_in() {
  local folder user=$1 answer=$2
  shift 2
  folder=$(mktemp -d)
  mkfifo "$folder/ready" "$folder/go"
  (
    printf '\0\0\0\006%s' "$answer" | timeout 120 /opt/mfa/pam-client mfa-test "$user" --account --hold \
      --ready-fd 7 --go-fd 8 7<>"$folder/ready" 8<>"$folder/go" | result >"$folder/result"
  ) &
  timeout 60 head -c 1 "$folder/ready" >/dev/null
  "$@" 2>/dev/null
  # Opened for reading too, so that this never waits for a reader.
  echo 1<>"$folder/go"
  wait
  cat "$folder/result"
  rm -r "$folder"
}

# is_running_again UNIT PROCESS: whether a unit has another main process.
is_running_again() {
  local main
  main=$(property MainPID "$1")
  [ "$main" != 0 ] && [ "$main" != "$2" ]
}

# check_exposure UNIT: prints and bounds how much a service could reach.
check_exposure() {
  local score
  score=$(systemd-analyze security --no-pager "$1" | sed -n "s/.*Overall exposure level for $1: \([0-9.]*\).*/\1/p")
  printf 'exposure of %s: %s\n' "$1" "$score"
  expect "the exposure of $1 is at most 1.5" \
    "$(python3 -c 'import sys; print(float(sys.argv[1]) <= 1.5)' "$score")" True
}

# --- Both ---

# run_tests [SUITE]: makes the system and runs the test, or, in the container, a part of it.
run_tests() {
  if [ "${1:-}" = --inside ]; then
    if declare -F before_part >/dev/null; then before_part; fi
    "inside_$2"
  else
    [ $# -le 1 ] || fail "too many arguments" "usage: Tests/$tests/run [SUITE]"
    outside "${1:-bookworm}"
  fi
}
