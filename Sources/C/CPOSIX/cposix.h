// The interface to the operating system for Swift: headers, and inline functions for what Swift
// cannot import (variadic functions, macros with arguments). It keeps no state. _GNU_SOURCE is not
// defined, so that the C library looks the same in every module; GNU extensions are declared by
// hand.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static inline int cposix_errno(void) { return errno; }

// Clears errno before a call that reports failure only through errno.
static inline void cposix_clear_errno(void) { errno = 0; }

static inline int cposix_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

// Returns the name of an error number ("ENOSPC"), or NULL.
char *_Nullable cposix_error_name(int number) __asm__("strerrorname_np");

// Returns the system's text for an error number ("No space left on device"), or NULL.
char *_Nullable cposix_error_text(int number) __asm__("strerrordesc_np");

static inline void cposix_syslog(int priority, const char *_Nonnull line) {
  syslog(priority, "%s", line);
}

// Returns 1 if the account `user` belongs to the group `group`, 0 if it does not or the group does
// not exist, and -1 if the lookup failed.
//
// getgrnam_r reports 0 for a group that no source of the name service has, and an error number,
// which may be ENOENT, if a source failed. getgrouplist does not report a failed source: it returns
// the groups from the other sources. A negative result is therefore trusted only if the lookup of a
// name that no group has reports no failed source.
static inline int cposix_is_member(const char *_Nonnull user, const char *_Nonnull group) {
  extern int getgrouplist(const char *, gid_t, gid_t *, int *);
  int answer = -1;
  for (size_t capacity = 4096; capacity <= 1 << 20 && answer == -1; capacity *= 16) {
    char *strings = malloc(capacity);
    gid_t *groups = malloc(capacity);
    if (strings != NULL && groups != NULL) {
      struct passwd account, *found_account = NULL;
      struct group entry, *found_group = NULL;
      int count = (int)(capacity / sizeof *groups);
      const int account_status =
          getpwnam_r(user, &account, strings, capacity, &found_account);
      const gid_t first = found_account != NULL ? account.pw_gid : 0;
      const int group_status =
          found_account == NULL ? 0 : getgrnam_r(group, &entry, strings, capacity, &found_group);
      const gid_t wanted = found_group != NULL ? entry.gr_gid : 0;
      if (account_status == ERANGE || group_status == ERANGE) {
        // Try the next size.
      } else if (account_status != 0 || found_account == NULL) {
        capacity = 1 << 20;
      } else if (found_group == NULL) {
        if (group_status == 0) answer = 0;
        capacity = 1 << 20;
      } else if (getgrouplist(user, first, groups, &count) >= 0) {
        answer = 0;
        for (int index = 0; index < count; index++) answer |= groups[index] == wanted;
        if (answer == 0 && getgrnam_r(":", &entry, strings, capacity, &found_group) != 0) {
          answer = -1;
          capacity = 1 << 20;
        }
      }
    }
    free(strings);
    free(groups);
  }
  return answer;
}

// Writes the name of an account, with its NUL, to `name`. Returns the length of the name, or -1 if
// the name is empty or too long.
static inline ssize_t cposix_copy_name(
    const struct passwd *_Nonnull entry, char *_Nonnull name, size_t capacity) {
  const size_t length = strlen(entry->pw_name);
  if (length == 0 || length >= capacity) return -1;
  memcpy(name, entry->pw_name, length + 1);
  return (ssize_t)length;
}

// Writes one of the names of `uid`, with its NUL, to `name`. Index 0 is the name that the system
// has for the uid; indexes from 1 on are its names in /etc/passwd. Returns the length of the name,
// 0 if there are fewer names, and -1 if the lookup failed.
//
// The file is read directly: `getpwent` would list every account of a directory service, and its
// state belongs to the application.
static inline ssize_t cposix_name_of(
    uid_t uid, int index, char *_Nonnull name, size_t capacity) {
  extern int fgetpwent_r(FILE *, struct passwd *, char *, size_t, struct passwd **);
  char line[16384];
  struct passwd entry, *found = NULL;
  int status = 0;
  if (index == 0) {
    status = getpwuid_r(uid, &entry, line, sizeof line, &found);
    // As with `getpwnam_r`, some sources use these numbers to report that no account was found.
    if (status == ESRCH) status = ENOENT;
    if (found == NULL && status == 0) status = ENOENT;
  } else {
    FILE *file = fopen("/etc/passwd", "re");
    if (file == NULL) return errno == ENOENT ? 0 : -1;
    // Always reads the whole file, so that the time taken reveals nothing about the user.
    ssize_t length = 0;
    while (length >= 0 && (status = fgetpwent_r(file, &entry, line, sizeof line, &found)) == 0)
      if (entry.pw_uid == uid && --index == 0) length = cposix_copy_name(&entry, name, capacity);
    (void)fclose(file);
    return status == ENOENT ? length : -1;
  }
  if (status == ENOENT) return 0;
  return status == 0 ? cposix_copy_name(&entry, name, capacity) : -1;
}

// Reads the parent of a process, the device number of its controlling terminal (0 if there is
// none), and its start time in clock ticks since the host was started (proc_pid_stat(5)). Returns
// 0, or -1 on failure.
static inline int cposix_process_start(
    pid_t process, pid_t *_Nonnull parent, unsigned *_Nonnull terminal,
    unsigned long long *_Nonnull ticks) {
  char path[32], text[1024];
  (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return -1;
  const ssize_t count = read(file, text, sizeof text - 1);
  (void)close(file);
  if (count <= 0) return -1;
  text[count] = '\0';
  // The program's name may contain any character. The state (third field) and numbers follow it.
  char *rest = strrchr(text, ')');
  if (rest == NULL || strlen(rest) < 5) return -1;
  rest += 4;
  errno = 0;
  *parent = (pid_t)strtol(rest, &rest, 10);
  for (int field = 5; field < 22; field++) {
    const long long value = strtoll(rest, &rest, 10);
    if (field == 7) *terminal = (unsigned)value;
  }
  *ticks = strtoull(rest, &rest, 10);
  return errno == 0 && *rest == ' ' ? 0 : -1;
}

// Reads the boot ID, which is different after each start of the host, as text of 36 bytes. Returns
// 0, or -1 on failure.
static inline int cposix_boot_identity(char *_Nonnull identity) {
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return -1;
  const ssize_t count = read(file, identity, 36);
  (void)close(file);
  return count == 36 ? 0 : -1;
}

// Searches the descriptors below 64 for connected IPv4 and IPv6 streams. Returns 1 if all of them
// have the same remote address, which is written to `address` (16 bytes, IPv4 in ::ffff:0:0/96), 0
// if no such stream exists, and 2 if the addresses differ.
static inline int cposix_peer(unsigned char *_Nonnull address) {
  int found = 0;
  for (int descriptor = 0; descriptor < 64 && found < 2; descriptor++) {
    union {
      struct sockaddr any;
      struct sockaddr_in four;
      struct sockaddr_in6 six;
    } peer;
    unsigned char bytes[16] = {[10] = 0xFF, [11] = 0xFF};
    socklen_t length = sizeof peer;
    int type = 0;
    socklen_t type_length = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &type_length) != 0 ||
        type != SOCK_STREAM || getpeername(descriptor, &peer.any, &length) != 0)
      continue;
    if (peer.any.sa_family == AF_INET && length >= sizeof peer.four) {
      memcpy(bytes + 12, &peer.four.sin_addr, 4);
    } else if (peer.any.sa_family == AF_INET6 && length >= sizeof peer.six) {
      memcpy(bytes, &peer.six.sin6_addr, 16);
    } else {
      continue;
    }
    if (found == 1 && memcmp(bytes, address, 16) == 0) continue;
    memcpy(address, bytes, 16);
    found++;
  }
  return found;
}

static inline int cposix_window_size(int descriptor, struct winsize *_Nonnull size) {
  return ioctl(descriptor, TIOCGWINSZ, size);
}

static inline int cposix_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Waits until every signal that another process was sending has arrived. It is called right after
// that process has lost permission to send more. The kernel checks the permission and sends the
// signal in one RCU read-side section (kill(2)), and MEMBARRIER_CMD_GLOBAL returns when all
// sections that had begun are over (8 to 20 ms). With one processor, or with nohz_full, it returns
// at once.
static inline void cposix_await_signals(void) { (void)syscall(SYS_membarrier, 1, 0, 0); }

static inline int cposix_set_identities(uid_t real, uid_t effective, uid_t saved) {
  extern int setresuid(uid_t, uid_t, uid_t);
  return setresuid(real, effective, saved);
}

// Sets the real and saved group to the effective group, which may come from the program's file
// (setgid). Returns whether all three are now the same. Supplementary groups stay, because giving
// them up requires CAP_SETGID.
static inline int cposix_leave_group(void) {
  const gid_t own = getegid();
  return syscall(SYS_setresgid, own, own, own) == 0 && getgid() == own;
}

static inline int cposix_identities(
    uid_t *_Nonnull real, uid_t *_Nonnull effective, uid_t *_Nonnull saved) {
  extern int getresuid(uid_t *, uid_t *, uid_t *);
  return getresuid(real, effective, saved);
}

// Returns whether a file may grow to `end` bytes under RLIMIT_FSIZE. A write across the limit is
// truncated, and a write that begins at the limit ends the process with SIGXFSZ.
static inline int cposix_may_grow_to(long long end) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (unsigned long long)end <= limit.rlim_cur;
}

// Blocks the signals with which a terminal stops a process. If only the effective user ID is
// root's, makes the real user ID of this thread root's too, because kill(2) lets the user with the
// real or saved ID send signals.
//
// Returns a value for `cposix_end_uninterrupted`, which is never 0: the real user ID and, above it,
// a bit for each signal that was not blocked before. Returns 0 on failure, with nothing changed.
// The error is EPERM if the real user ID belongs to another user and cannot be changed, so that
// this user could stop the process. The system calls are made directly, because the C library would
// change the user ID of every thread.
enum { CPOSIX_STOP_SIGNALS = 7 << (SIGTSTP - 1), CPOSIX_BEGUN = 1 << 8 };
_Static_assert(SIGTTIN == SIGTSTP + 1 && SIGTTOU == SIGTSTP + 2, "the stop signals are in a row");

static inline unsigned long long cposix_begin_uninterrupted(void) {
  const uid_t real = (uid_t)syscall(SYS_getuid), effective = (uid_t)syscall(SYS_geteuid);
  if (real != effective && (effective != 0 || syscall(SYS_setresuid, 0, -1, -1) != 0)) {
    errno = EPERM;
    return 0;
  }
  if (real != effective) cposix_await_signals();
  unsigned long long stops = CPOSIX_STOP_SIGNALS, before = 0;
  // Fails only for invalid arguments.
  (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &stops, &before, sizeof stops);
  return real | (CPOSIX_BEGUN | (stops & ~before) >> (SIGTSTP - 1)) << 32;
}

// Undoes `cposix_begin_uninterrupted`. A stop signal that arrived in the meantime takes effect now.
static inline void cposix_end_uninterrupted(unsigned long long begun) {
  const uid_t user = (uid_t)begun;
  if ((uid_t)syscall(SYS_getuid) != user) (void)syscall(SYS_setresuid, user, -1, -1);
  const unsigned long long stops = (begun >> 32 & 7) << (SIGTSTP - 1);
  (void)syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &stops, NULL, sizeof stops);
}

static inline int cposix_clear_environment(void) {
  extern int clearenv(void);
  return clearenv();
}

// Sets every signal to its default action and unblocks all signals.
static inline void cposix_default_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  for (int number = 1; number <= SIGRTMAX; number++) (void)sigaction(number, &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

// Keeps the process running when its terminal hangs up.
static inline void cposix_ignore_hang_up(void) { (void)signal(SIGHUP, SIG_IGN); }

// Opens the system log (authpriv) under `name`, whatever name the caller gave the program. The C
// library keeps the pointer, so `name` must live as long as the process.
static inline void cposix_open_log(const char *_Nonnull name) {
  openlog(name, LOG_PID, LOG_AUTHPRIV);
}

// Locks one byte of a file for its open file description (F_OFD_SETLK, fcntl(2)), without waiting.
static inline int cposix_lock_byte(int descriptor, long long offset) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  return fcntl(descriptor, 37, &lock);
}

// Closes every descriptor from `first` on.
static inline int cposix_close_from(unsigned first) {
  extern int close_range(unsigned, unsigned, int);
  return close_range(first, ~0U, 0);
}

// Reads the next entries of a directory in the kernel's format (getdents64(2)). Returns the number
// of bytes, 0 at the end, and -1 on failure.
static inline ssize_t cposix_list_directory(
    int directory, void *_Nullable room, size_t capacity) {
  extern ssize_t getdents64(int, void *, size_t);
  return getdents64(directory, room, capacity);
}
