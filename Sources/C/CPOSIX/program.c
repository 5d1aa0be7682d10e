// Starts programs. Between fork and exec, only async-signal-safe functions are called
// (signal-safety(7)), because other threads may have held locks at the fork.
#define _GNU_SOURCE

#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The group of a program of root whose file belongs to root's group (nogroup).
enum { NO_GROUP = 65534 };

// Creates a copy of this process whose end sends `signal`, or nothing if `signal` is 0. fork()
// would call the host's pthread_atfork handlers.
static pid_t copy(int signal) { return (pid_t)syscall(SYS_clone, (long)signal, 0L, 0L, 0L, 0L); }

// Creates a copy of this process whose end sends no signal, and which only a call with __WALL
// waits for, until it calls execve. All signals but those of the C library (32 and 33) are blocked
// in the copy, so that no handler of this process runs there.
static pid_t copy_quietly(void) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_BLOCK, &all, &before) != 0) return -1;
  const pid_t process = copy(0);
  if (process != 0) (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return process;
}

// Waits for a copy of this process. Returns 0, or -1 on failure.
static int reap(pid_t process, int *status) {
  return TEMP_FAILURE_RETRY(waitpid(process, status, __WALL)) == process ? 0 : -1;
}

// Sets every signal except 32 and 33, which the C library hides, to its default action, and
// unblocks all signals.
static void reset_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  for (int number = 1; number <= SIGRTMAX; number++) (void)sigaction(number, &action, NULL);
  sigset_t none;
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

// Reduces this process to its effective identity, as `has_one_identity` requires. The system calls
// are made directly, because the C library would take a lock. Returns 0, or -1 on failure.
static int keep_one_identity(const char *path) {
  const uid_t user = geteuid();
  if (user != 0) return (int)syscall(SYS_setresuid, user, user, user);
  // The symbol of stat() is newer than glibc 2.31, with which the PAM module has to work.
  struct statx program;
  if (statx(AT_FDCWD, path, 0, STATX_GID, &program) != 0) return -1;
  const gid_t group = program.stx_gid != 0 ? program.stx_gid : NO_GROUP;
  if (syscall(SYS_setgroups, 0, NULL) != 0) return -1;
  if (syscall(SYS_setresgid, group, group, group) != 0) return -1;
  return (int)syscall(SYS_setresuid, 0, 0, 0);
}

// Closes all descriptors from a number on. glibc 2.31 has no function for that. A kernel before 5.9 has no call either:
// all possible numbers are then closed one after the other. Returns 0, or -1 on failure.
static int close_from(int first) {
  if (syscall(SYS_close_range, (unsigned int)first, ~0U, 0U) == 0) return 0;
  struct rlimit limit;
  if (errno != ENOSYS || getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  const int most = limit.rlim_max < 1 << 20 ? (int)limit.rlim_max : 1 << 20;
  for (int number = first; number < most; number++) (void)close(number);
  return 0;
}

// Makes `streams` the standard streams of this process, and closes all other descriptors except
// `*report`, which becomes descriptor 3 if it is not negative. Returns 0, or -1 on failure.
static int arrange_descriptors(const int streams[3], int *report) {
  // All descriptors are first duplicated to numbers that are not replaced below.
  const int nothing = open("/dev/null", O_RDWR);
  int kept[3];
  for (int number = 0; number < 3; number++) {
    kept[number] = fcntl(streams[number] < 0 ? nothing : streams[number], F_DUPFD, 4);
    if (kept[number] < 0) return -1;
  }
  if (*report >= 0) {
    const int duplicate = fcntl(*report, F_DUPFD, 4);
    if (duplicate < 0 || dup3(duplicate, 3, O_CLOEXEC) < 0) return -1;
    *report = 3;
  }
  for (int number = 0; number < 3; number++)
    if (dup2(kept[number], number) < 0) return -1;
  return close_from(*report < 0 ? 3 : 4);
}

// Has the kernel kill this process when `parent` ends, unless that is 0. Returns 0, or -1 on failure.
static int end_with(pid_t parent) {
  if (parent == 0) return 0;
  if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL) != 0) return -1;
  // The parent may have ended before.
  return getppid() == parent ? 0 : -1;
}

// Executes a program in a copy of the process. On failure, writes the error number to the
// descriptor `report`, if that is not negative, and ends the copy.
static noreturn void execute(const cposix_program *program, int report) {
  const int streams[] = {program->input, program->output, program->errors};
  if (!program->has_one_identity || keep_one_identity(program->path) == 0) {
    reset_signals();
    if (arrange_descriptors(streams, &report) == 0 &&
        (!program->is_in_new_session || setsid() >= 0) &&
        (!program->is_in_new_group || setpgid(0, 0) == 0) && end_with(program->parent) == 0 &&
        chdir("/") == 0)
      (void)execve(program->path, program->arguments, program->environment);
  }
  const int error = errno;
  if (report >= 0) (void)!write(report, &error, sizeof error);
  _exit(CPOSIX_NOT_STARTED + (error & 127));
}

int cposix_start(const cposix_program *program, pid_t *process) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  *process = copy_quietly();
  if (*process == 0) execute(program, ends[1]);
  int error = *process < 0 ? errno : 0;
  (void)close(ends[1]);
  if (*process > 0) {
    // The pipe ends without a number when the program is executed.
    int reported = 0, status;
    if (TEMP_FAILURE_RETRY(read(ends[0], &reported, sizeof reported)) == (ssize_t)sizeof reported) {
      error = reported;
      (void)reap(*process, &status);
    }
  }
  (void)close(ends[0]);
  return error;
}

int cposix_start_detached(const char *path, int input) {
  char *const arguments[] = {(char *)path, NULL};
  const cposix_program program = {
      .path = path,
      .arguments = arguments,
      .environment = arguments + 1,
      .input = input,
      .output = -1,
      .errors = -1,
      .has_one_identity = 1,
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t between = copy_quietly();
  if (between == 0) {
    (void)setsid();
    const pid_t process = copy(SIGCHLD);
    if (process == 0) execute(&program, ends[1]);
    _exit(process < 0 ? errno & 127 : 0);
  }
  int error = between < 0 ? errno : 0, status = 0;
  (void)close(ends[1]);
  if (between > 0) {
    if (reap(between, &status) != 0)
      error = errno;
    else if (!WIFEXITED(status))
      error = ECHILD;
    else
      error = WEXITSTATUS(status);
    // The pipe ends without a number when the program is executed.
    int reported = 0;
    if (TEMP_FAILURE_RETRY(read(ends[0], &reported, sizeof reported)) == (ssize_t)sizeof reported)
      error = reported;
  }
  (void)close(ends[0]);
  errno = error;
  return error == 0 ? 0 : -1;
}

// Runs in the supervisor, and executes `program` with `end` as its standard input and output. All
// signals but those of the C library (32 and 33) are blocked, so that no handler of the host runs
// in this process. All descriptors except `end` are closed.
static noreturn void supervise(cposix_program *program, int end) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  // The host may ignore SIGCHLD, but this process must receive it.
  action.sa_handler = SIG_DFL;
  pid_t process = -1;
  if ((end == 0 || dup2(end, 0) == 0) && close_from(1) == 0 &&
      sigaction(SIGCHLD, &action, NULL) == 0) {
    (void)prctl(PR_SET_NAME, "mfa-supervisor", 0, 0, 0);
    process = copy(SIGCHLD);
    if (process == 0) execute(program, -1);
  }
  if (process < 0) _exit(CPOSIX_NOT_STARTED + (errno & 127));
  // The host sees the end of the stream as soon as the program closes it, and does not have to wait
  // for this process.
  (void)close(0);
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  while (1) {
    int status = 0;
    // With WNOHANG, no signal interrupts the call.
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    if (ended < 0) _exit(1);
    if (sigwaitinfo(&awaited, NULL) == SIGTERM) (void)kill(process, SIGKILL);
  }
}

pid_t cposix_start_supervised(const char *path, const char *name, int *link) {
  char *const arguments[] = {(char *)name, NULL};
  // In a program that a user starts and that acts as root, such as su, the real user is the user. The program that is
  // started must find root as its caller, and the user must not be able to send it a signal.
  cposix_program program = {
      .path = path,
      .arguments = arguments,
      .environment = arguments + 1,
      .input = 0,
      .output = 0,
      .errors = -1,
      .has_one_identity = 1,
  };
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  const pid_t supervisor = copy_quietly();
  if (supervisor == 0) supervise(&program, ends[1]);
  int error = errno;
  (void)close(ends[1]);
  // If the host has closed its standard streams, the socket must not take the number of one: the
  // host's output would reach the program.
  *link = supervisor < 0 ? -1 : fcntl(ends[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (supervisor > 0 && *link < 0) {
    error = errno;
    (void)kill(supervisor, SIGTERM);
    int status;
    (void)reap(supervisor, &status);
  }
  (void)close(ends[0]);
  errno = error;
  return *link < 0 ? -1 : supervisor;
}
