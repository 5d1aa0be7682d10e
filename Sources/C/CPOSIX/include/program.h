// The functions that start programs. This project starts every program with one of them.
//
// `cposix_start` creates a child like any other. The other functions put one process more between
// this process and the program, so that the children and signals of a PAM application stay
// unchanged.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>

// If a program could not be executed, the exit status of its process is this number plus an error
// number.
enum { CPOSIX_NOT_STARTED = 128 };

// What a program gets from this process.
typedef struct cposix_program {
  // The file to execute.
  const char *_Nonnull path;
  // The arguments, beginning with argument 0, and the environment. Both end with NULL.
  char *_Nullable const *_Nonnull arguments;
  char *_Nullable const *_Nonnull environment;
  // The descriptors that become the standard streams. A negative number stands for /dev/null.
  int input, output, errors;
  // Whether the program runs in a new session.
  int is_in_new_session;
  // Whether the program runs in a new process group.
  int is_in_new_group;
  // Whether the program keeps only this process's effective identity. The real user ID becomes the
  // effective one, so that the caller of a set-user-ID program cannot signal the program. A process
  // of root keeps only root's user ID: its group becomes that of the program's file, or 65534 if
  // the file belongs to root's group.
  int has_one_identity;
  // The ID of this process, with whose end the program is killed, or 0.
  pid_t parent;
} cposix_program;

// Starts a program in a child of this process. The program has the three standard streams and no
// other descriptor, the working directory /, and all signals but 32 and 33 at their defaults.
// Writes the child's process ID to `process`. Returns 0, or the error number if the program could
// not be executed; no child is left then.
int cposix_start(const cposix_program *_Nonnull program, pid_t *_Nonnull process);

// Starts the program at `path` without arguments, with `input` as its standard input and with one
// identity, in a process that is not a child of this one. Returns 0, or -1 with the reason in errno
// if the program could not be executed.
int cposix_start_detached(const char *_Nonnull path, int input);

// Starts the program at `path` under `name` beside a host process without the host noticing.
//
// The host is the process that loaded the module, such as a screen locker. It must not receive a
// signal about a child that it did not start, and must not find such a child when it waits for its
// own children. But the end of a process that called execve(2) is always announced with SIGCHLD,
// however the process was started. Therefore a supervisor process stands between the two: a copy of
// the host that never calls execve, whose end sends no signal, and which only waitpid with __WALL
// finds. The supervisor starts the program, waits for its end, and then ends itself with the same
// exit status (1 if the program was killed). On SIGTERM it kills the program first.
//
// The program's standard input and output are one end of a stream socket, its standard error is
// /dev/null, and its environment is empty. Writes the host's end to `link`: a socket that other
// programs do not inherit and that is not a standard stream. Returns the process ID of the
// supervisor, or -1.
pid_t cposix_start_supervised(
    const char *_Nonnull path, const char *_Nonnull name, int *_Nonnull link);
