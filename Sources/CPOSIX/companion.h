// Starting a program beside a host that must not notice it.
//
// The host is whoever loaded the module, a screen locker for example. It must not be told of the end
// of a child that it did not start, nor find one when it waits for its own. But the end of a process
// that runs a program is always announced with SIGCHLD, however it was started (execve(2)). So a
// minder stands between: a copy of the host that never runs a program, whose end is announced by no
// signal, and which only waitpid with __WALL finds. It starts the program, waits for its end and then
// ends itself. SIGTERM has it kill the program first.
#pragma once

#include "cposix.h"
#include "process.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

// What is added to an error number to make the minder's exit status when the program did not start.
enum { COMPANION_NOT_STARTED = 128 };

// In the child of the minder: becomes the program, with descriptor 0 as its standard input and
// output, no other descriptor, no environment, and all signals at their defaults.
static inline void cposix_become_companion(const char *_Nonnull path, const char *_Nonnull name)
    __attribute__((noreturn));
static inline void cposix_become_companion(const char *_Nonnull path, const char *_Nonnull name) {
  char *const arguments[] = {(char *)name, NULL};
  char *const environment[] = {NULL};
  if (dup2(0, 1) == 1 && open("/dev/null", O_RDWR) == 2 && chdir("/") == 0) {
    cposix_default_signals();
    (void)execve(path, arguments, environment);
  }
  _exit(COMPANION_NOT_STARTED + (errno & 127));
}

// In the minder. Every signal is blocked, so that no handler of the host's ever runs in it; every
// descriptor but `end` is closed. Only calls that are safe in a copy of a process with threads are
// made (signal-safety(7)): no memory is asked for, no lock is taken.
static inline void cposix_mind(const char *_Nonnull path, const char *_Nonnull name, int end)
    __attribute__((noreturn));
static inline void cposix_mind(const char *_Nonnull path, const char *_Nonnull name, int end) {
  extern int close_range(unsigned, unsigned, int);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  // A host that ignores SIGCHLD must not make this process do so too.
  action.sa_handler = SIG_DFL;
  pid_t program = -1;
  if ((end == 0 || dup2(end, 0) == 0) && fcntl(0, F_SETFD, 0) == 0 &&
      close_range(1, ~0U, 0) == 0 && sigaction(SIGCHLD, &action, NULL) == 0) {
    (void)prctl(PR_SET_NAME, "mfa-minder", 0, 0, 0);
    program = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
    if (program == 0) cposix_become_companion(path, name);
  }
  if (program < 0) _exit(COMPANION_NOT_STARTED + (errno & 127));
  // The host sees the end of the stream when the program has closed it, not this process too.
  (void)close(0);
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  while (1) {
    int status = 0;
    const pid_t ended = waitpid(program, &status, WNOHANG);
    if (ended == program) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    if (ended < 0 && errno != EINTR) _exit(1);
    if (sigwaitinfo(&awaited, NULL) == SIGTERM) (void)kill(program, SIGKILL);
  }
}

// Starts the program at `path` under `name`, by way of a minder. Returns the minder's process and
// writes the host's end of the stream to `link`: a socket that no other program inherits and that is
// no standard stream. -1 when that failed.
static inline pid_t cposix_start_companion(
    const char *_Nonnull path, const char *_Nonnull name, int *_Nonnull link) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  // Not fork(): what the host has asked to be called at a fork is not for this one.
  const pid_t minder = cposix_fork_quietly();
  if (minder == 0) cposix_mind(path, name, ends[1]);
  int error = errno;
  (void)close(ends[1]);
  // A host that has closed its standard streams must not print to the program.
  *link = minder < 0 ? -1 : fcntl(ends[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (minder > 0 && *link < 0) {
    error = errno;
    (void)kill(minder, SIGTERM);
    int status;
    (void)cposix_reap(minder, &status);
  }
  (void)close(ends[0]);
  errno = error;
  return *link < 0 ? -1 : minder;
}

// Waits for the minder: its exit status, -1 while it runs, -2 when somebody else has waited for it.
static inline int cposix_minder_status(pid_t minder) {
  int status = 0;
  const pid_t ended = waitpid(minder, &status, __WALL | WNOHANG);
  if (ended == minder) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return ended == 0 || errno == EINTR ? -1 : -2;
}

static inline ssize_t cposix_send(int socket, const void *_Nullable bytes, size_t count) {
  // A program that has ended must not end the host by SIGPIPE.
  return send(socket, bytes, count, MSG_NOSIGNAL);
}

static inline int cposix_has_no_new_privileges(void) {
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}
