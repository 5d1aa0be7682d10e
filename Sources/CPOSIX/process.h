// Starting other programs from a process that is not ours: what a PAM application does with its
// children, its signals and its descriptors stays as it is. Between a fork and an exec there are
// system calls alone, and no memory is allocated.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cposix.h"

// `pipe2` of the C library, whose declaration needs _GNU_SOURCE.
int cposix_pipe(int *_Nonnull ends, int flags) __asm__("pipe2");

// A copy of this process whose end sends no signal, and which only `cposix_reap` waits for. All signals
// are blocked in it: no handler of this process's may run there.
static inline pid_t cposix_fork_quietly(void) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0) return -1;
  const pid_t process = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
  if (process != 0) (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return process;
}

// Waits for a copy that `cposix_fork_quietly` made: __WALL.
static inline int cposix_reap(pid_t process, int *_Nonnull status) {
  pid_t reaped;
  do reaped = waitpid(process, status, 0x40000000); while (reaped < 0 && errno == EINTR);
  return reaped == process ? 0 : -1;
}

// In a copy: becomes `path`, with `input` as its standard input, nowhere to write to, no other
// descriptor, no environment but `environment`, every signal as in a program that was just started,
// and, where this process is root's, nothing of root's but the user identity: the group is that of the
// program's file. The real user identity becomes the effective one, so that a caller of a set-user-ID
// program cannot signal the copy.
static inline void cposix_become(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int input) {
  const uid_t user = geteuid();
  if (user != 0 && syscall(SYS_setresuid, user, user, user) != 0) _exit(126);
  cposix_default_signals();
  struct stat program;
  if (stat(path, &program) != 0) _exit(errno == ENOENT ? 127 : 126);
  const gid_t group = program.st_gid != 0 ? program.st_gid : 65534;
  if (geteuid() == 0 &&
      (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, group, group, group) != 0 ||
       syscall(SYS_setresuid, 0, 0, 0) != 0))
    _exit(126);
  // Out of the way of the three that are put in place.
  const int kept = fcntl(input, F_DUPFD, 3);
  const int nothing = open("/dev/null", O_RDWR);
  const int output = fcntl(nothing, F_DUPFD, 3);
  if (kept < 0 || output < 0 || dup2(kept, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0 ||
      syscall(SYS_close_range, 3u, ~0u, 0u) != 0 || chdir("/") != 0)
    _exit(126);
  execve(path, arguments, environment);
  _exit(errno == ENOENT ? 127 : 126);
}

// Starts `path` without arguments, with `input` as its standard input, as nobody's child. Returns 0,
// or -1 when there could be no such process.
static inline int cposix_start_detached(const char *_Nonnull path, int input) {
  char *arguments[] = {(char *)path, NULL};
  char *environment[] = {NULL};
  const pid_t between = cposix_fork_quietly();
  if (between < 0) return -1;
  if (between == 0) {
    setsid();
    const pid_t process = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (process == 0) cposix_become(path, arguments, environment, input);
    _exit(process < 0);
  }
  int status = 0;
  if (cposix_reap(between, &status) != 0) return -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

// Has the mailer at `path` send `input` to `recipient`, and waits for `milliseconds` at most; then it
// is killed. Returns its exit status (126 and 127 where it could not be run), or -1.
static inline int cposix_mail(
    const char *_Nonnull path, const char *_Nonnull recipient, int input, int milliseconds) {
  char *arguments[] = {"sendmail", "-i", "--", (char *)recipient, NULL};
  char *environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
  const pid_t process = cposix_fork_quietly();
  if (process < 0) return -1;
  if (process == 0) cposix_become(path, arguments, environment, input);
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
  int ready = -1;
  if (end.fd >= 0) {
    do ready = poll(&end, 1, milliseconds); while (ready < 0 && errno == EINTR);
    close(end.fd);
  }
  if (ready <= 0) (void)kill(process, SIGKILL);
  int status = 0;
  if (cposix_reap(process, &status) != 0 || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}
