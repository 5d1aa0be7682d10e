// Starts other programs from a process that may belong to any application. The children, signals
// and descriptors of a PAM application stay unchanged. Between fork and exec only system calls are
// made, and no memory is allocated.
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

// `pipe2` of the C library, whose declaration requires _GNU_SOURCE.
int cposix_pipe(int *_Nonnull ends, int flags) __asm__("pipe2");

// Creates a copy of this process whose end sends no signal and which only `cposix_reap` waits for.
// All signals are blocked in the copy, so that no handler of this process runs there.
static inline pid_t cposix_fork_quietly(void) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0) return -1;
  const pid_t process = (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
  if (process != 0) (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return process;
}

// Waits for a copy created by `cposix_fork_quietly`, with __WALL.
static inline int cposix_reap(pid_t process, int *_Nonnull status) {
  pid_t reaped;
  do reaped = waitpid(process, status, 0x40000000); while (reaped < 0 && errno == EINTR);
  return reaped == process ? 0 : -1;
}

// Executes `path` in a copy of the process. The program has `input` as its standard input,
// /dev/null as its standard output and error, no other descriptor, only the variables in
// `environment`, and all signals at their defaults. The real user ID becomes the effective one, so
// that the caller of a set-user-ID program cannot signal the copy. A process of root keeps only
// root's user ID: its group becomes that of the program's file, or 65534 if that is root's.
static inline void cposix_execute(
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
  // Moves the descriptors above 2, out of the way of the standard streams.
  const int kept = fcntl(input, F_DUPFD, 3);
  const int nothing = open("/dev/null", O_RDWR);
  const int output = fcntl(nothing, F_DUPFD, 3);
  if (kept < 0 || output < 0 || dup2(kept, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0 ||
      syscall(SYS_close_range, 3u, ~0u, 0u) != 0 || chdir("/") != 0)
    _exit(126);
  execve(path, arguments, environment);
  _exit(errno == ENOENT ? 127 : 126);
}

// Starts `path` without arguments, with `input` as its standard input, in a process that is not a
// child of this one. Returns 0, or -1 if no process could be created.
static inline int cposix_start_detached(const char *_Nonnull path, int input) {
  char *arguments[] = {(char *)path, NULL};
  char *environment[] = {NULL};
  const pid_t between = cposix_fork_quietly();
  if (between < 0) return -1;
  if (between == 0) {
    setsid();
    const pid_t process = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (process == 0) cposix_execute(path, arguments, environment, input);
    _exit(process < 0);
  }
  int status = 0;
  if (cposix_reap(between, &status) != 0) return -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

// Sends `input` to `recipient` with the mailer at `path`. After `milliseconds` the mailer is
// killed. Returns its exit status (126 and 127 if it could not be executed), or -1.
static inline int cposix_mail(
    const char *_Nonnull path, const char *_Nonnull recipient, int input, int milliseconds) {
  char *arguments[] = {"sendmail", "-i", "--", (char *)recipient, NULL};
  char *environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
  const pid_t process = cposix_fork_quietly();
  if (process < 0) return -1;
  if (process == 0) cposix_execute(path, arguments, environment, input);
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
