// Starts a program beside a host process without the host noticing.
//
// The host is the process that loaded the module, such as a screen locker. It must not receive a
// signal about a child that it did not start, and must not find such a child when it waits for its
// own children. But the end of a process that called execve(2) is always announced with SIGCHLD,
// however the process was started. Therefore a supervisor process (`minder`) stands between the
// two: a copy of the host that never calls execve, whose end sends no signal, and which only
// waitpid with __WALL finds. The supervisor starts the program, waits for its end, and then ends
// itself. On SIGTERM it kills the program first.
#pragma once

#include "cposix.h"
#include "process.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

// If the program could not be started, the supervisor's exit status is this number plus an error
// number.
enum { COMPANION_NOT_STARTED = 128 };

// Runs in the child of the supervisor. Executes the program with descriptor 0 as its standard input
// and output, /dev/null as its standard error, no other descriptor, no environment, and all signals
// at their defaults.
static inline void cposix_execute_companion(const char *_Nonnull path, const char *_Nonnull name)
    __attribute__((noreturn));
static inline void cposix_execute_companion(const char *_Nonnull path, const char *_Nonnull name) {
  char *const arguments[] = {(char *)name, NULL};
  char *const environment[] = {NULL};
  if (dup2(0, 1) == 1 && open("/dev/null", O_RDWR) == 2 && chdir("/") == 0) {
    cposix_default_signals();
    (void)execve(path, arguments, environment);
  }
  _exit(COMPANION_NOT_STARTED + (errno & 127));
}

// Runs in the supervisor. All signals are blocked, so that no handler of the host ever runs in this
// process. All descriptors except `end` are closed. Only functions that are safe in a copy of a
// process with threads are called (signal-safety(7)): they allocate no memory and take no lock.
static inline void cposix_supervise(const char *_Nonnull path, const char *_Nonnull name, int end)
    __attribute__((noreturn));
static inline void cposix_supervise(const char *_Nonnull path, const char *_Nonnull name, int end) {
  extern int close_range(unsigned, unsigned, int);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  // The host may ignore SIGCHLD, but this process must receive it.
  action.sa_handler = SIG_DFL;
  pid_t program = -1;
  if ((end == 0 || dup2(end, 0) == 0) && fcntl(0, F_SETFD, 0) == 0 &&
      close_range(1, ~0U, 0) == 0 && sigaction(SIGCHLD, &action, NULL) == 0) {
    (void)prctl(PR_SET_NAME, "mfa-minder", 0, 0, 0);
    program = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
    if (program == 0) cposix_execute_companion(path, name);
  }
  if (program < 0) _exit(COMPANION_NOT_STARTED + (errno & 127));
  // The host sees the end of the stream as soon as the program closes it, and does not have to wait
  // for this process.
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

// Starts the program at `path` under `name`, through a supervisor. Returns the process ID of the
// supervisor, or -1. Writes the host's end of the stream to `link`: a socket that other programs do
// not inherit and that is not a standard stream.
static inline pid_t cposix_start_companion(
    const char *_Nonnull path, const char *_Nonnull name, int *_Nonnull link) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  // fork() would call the host's pthread_atfork handlers.
  const pid_t minder = cposix_fork_quietly();
  if (minder == 0) cposix_supervise(path, name, ends[1]);
  int error = errno;
  (void)close(ends[1]);
  // If the host has closed its standard streams, the socket must not take the number of one: the
  // host's output would reach the program.
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

// Returns the supervisor's exit status (1 if it was killed), -1 while it runs, and -2 if other code
// has already waited for it. Does not wait.
static inline int cposix_supervisor_status(pid_t minder) {
  int status = 0;
  const pid_t ended = waitpid(minder, &status, __WALL | WNOHANG);
  if (ended == minder) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return ended == 0 || errno == EINTR ? -1 : -2;
}

static inline ssize_t cposix_send(int socket, const void *_Nullable bytes, size_t count) {
  // If the program has ended, SIGPIPE must not end the host.
  return send(socket, bytes, count, MSG_NOSIGNAL);
}

static inline int cposix_has_no_new_privileges(void) {
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}
