// The test support's operating system calls, in a form that Swift can import.
//
// Every function returns a result of at least zero, or the negated error number.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// Starts a program in a new session.
//
// `arguments` and `environment` hold `argument_count` and `variable_count` strings, each followed
// by a NUL. The child has `sources[i]` as descriptor `targets[i]`, and no other descriptor. If a
// terminal is given, it controls the session and is also descriptors 0, 1 and 2 unless `targets`
// names them. Signal dispositions are those of a fresh login.
//
// Stores the child's process number and a descriptor that refers to the child (close on exec).
int ctest_spawn(const char *arguments, size_t argument_count, const char *environment,
                size_t variable_count, const int *sources, const int *targets, size_t count,
                const char *_Nullable terminal, const char *directory, int *child, int *reference);

// Waits until the child has ended. Returns 1 if it has ended, 0 if the time (milliseconds) ran out.
int ctest_wait(int reference, int milliseconds, int *code, int *signal);

// Blocks SIGPIPE in this thread, or unblocks it.
int ctest_block_broken_pipe(int blocked);

// Sends a signal to the child, if it is still running.
int ctest_kill(int reference, int signal);

// Whether all threads of the child have stopped because of a signal: 1, or 0 if some still run or
// the child has ended, or -errno.
int ctest_has_stopped(int reference);

// Creates a pseudo-terminal; returns its master and stores the path of the other end.
int ctest_terminal(int rows, int columns, char *path, size_t capacity);

// The columns of a character in a terminal, as wcwidth(3) knows them in C.UTF-8, which every system has.
int ctest_columns(wchar_t character);

// Changes the size of a pseudo-terminal, of which the programs at it are told. Returns 0 or -errno.
int ctest_resize(int master, int rows, int columns);

// Waits until one of two descriptors can be read or has ended. Returns bit 0 for the first and bit
// 1 for the second descriptor, or 0 when the time ran out. A negative descriptor is ignored.
int ctest_readable(int first, int second, int milliseconds);

// Reads the available bytes, at most `capacity`. Returns 0 at the end; a terminal whose other end
// is closed is at its end.
ssize_t ctest_read(int descriptor, uint8_t *bytes, size_t capacity);

// Reads from an offset of a file.
ssize_t ctest_read_at(int descriptor, uint8_t *bytes, size_t capacity, off_t offset);

// Writes all bytes.
int ctest_write(int descriptor, const uint8_t *bytes, size_t count);

// Creates a file in memory that holds `bytes`, positioned at its beginning.
int ctest_memory(const uint8_t *bytes, size_t count);

// Creates a pipe.
int ctest_pipe(int *reading, int *writing);

// Creates a datagram socket at `path` that every user may write to. Replaces an existing file.
int ctest_listen(const char *path);

// Sends one datagram to the socket at `path`.
int ctest_send(const char *path, const uint8_t *bytes, size_t count);

// Returns a socket that receives every kernel audit record from now on.
int ctest_hear_audit(void);

// Writes a record of type USER to the kernel audit log.
int ctest_write_audit(const uint8_t *bytes, size_t count);

// Returns a TCP port of 127.0.0.1 that is currently free.
int ctest_free_port(void);

// Returns whether a TCP port of 127.0.0.1 accepts connections: 1 or 0.
int ctest_port_answers(int port);

// Listens at the numeric address `server`, connects to `target` from `client`, and returns the
// descriptor of the accepted socket, or -errno. This descriptor is at least `lowest`; that of the
// connecting socket, which stays open, is at least 512.
int ctest_accepted(const char *server, const char *target, const char *client, int lowest);

// Returns a datagram socket that is connected to the numeric address `target`.
int ctest_datagrams(const char *target);

// Closes a descriptor.
void ctest_close(int descriptor);

// Returns whether a descriptor is an open socket: 1 or 0.
int ctest_is_socket(int descriptor);

// Returns the number of open sockets.
int ctest_sockets(void);

// Starts to count SIGCHLD signals, or ignores the signal if `ignoring` is not 0.
void ctest_watch_children(int ignoring);

// Returns the number of SIGCHLD signals received since ctest_watch_children.
int ctest_child_signals(void);

// Returns whether waiting for any child finds one: 1 or 0. With `all`, this includes children whose
// end sends no signal.
int ctest_finds_child(int all);

// Sets the real, effective and saved user ID of this process. Returns 0, or -1 on failure.
int ctest_set_identities(unsigned real, unsigned effective, unsigned saved);

// Returns the milliseconds of a monotonic clock.
int64_t ctest_milliseconds(void);

#pragma clang assume_nonnull end
