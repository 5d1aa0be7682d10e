// The calls that the test bench makes of the operating system, in shapes that Swift can hold.
//
// Every function returns a result of at least zero, or the negated error number.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// Starts a program in a session of its own.
//
// `arguments` and `environment` hold `argument_count` and `variable_count` strings, each followed
// by a NUL. The child has `sources[i]` as descriptor `targets[i]`, and no other descriptor. With a
// terminal, that terminal is also descriptors 0, 1 and 2 where nothing else was said, and controls
// the session. Signals are as a fresh login has them.
//
// Writes the child's number and a descriptor that refers to it (close on exec).
int ctest_spawn(const char *arguments, size_t argument_count, const char *environment,
                size_t variable_count, const int *sources, const int *targets, size_t count,
                const char *_Nullable terminal, const char *directory, int *child, int *reference);

// Waits until the child has ended. Returns 1 when it has, 0 when the time (milliseconds) is over.
int ctest_wait(int reference, int milliseconds, int *code, int *signal);

// Sends a signal to the child, if it still lives.
int ctest_kill(int reference, int signal);

// Makes a pseudo-terminal; returns its master. Writes the other end's path.
int ctest_terminal(int rows, int columns, char *path, size_t capacity);

// Which of two descriptors can be read from (or has ended): bit 0 and bit 1; 0 when the time is
// over. A negative descriptor is left out.
int ctest_readable(int first, int second, int milliseconds);

// Reads what is there, at most `capacity` bytes. 0 at the end; a terminal whose other end is
// closed is at its end.
ssize_t ctest_read(int descriptor, uint8_t *bytes, size_t capacity);

// Reads from a place in a file.
ssize_t ctest_read_at(int descriptor, uint8_t *bytes, size_t capacity, off_t offset);

// Writes all the bytes.
int ctest_write(int descriptor, const uint8_t *bytes, size_t count);

// Makes a file in memory that holds `bytes`, to be read from its beginning.
int ctest_memory(const uint8_t *bytes, size_t count);

// Makes a pipe.
int ctest_pipe(int *reading, int *writing);

// Makes a datagram socket at `path` that everybody may write to. Replaces what was there.
int ctest_listen(const char *path);

// Sends one datagram to the socket at `path`.
int ctest_send(const char *path, const uint8_t *bytes, size_t count);

// A socket that hears every record of the kernel's audit trail from now on.
int ctest_hear_audit(void);

// Writes a record to the kernel's audit trail, of the type USER.
int ctest_write_audit(const uint8_t *bytes, size_t count);

// A TCP port of 127.0.0.1 that nothing listened on just now.
int ctest_free_port(void);

// Whether something accepts connections at a TCP port of 127.0.0.1: 1 or 0.
int ctest_port_answers(int port);

// Listens at the numeric address `server`, connects to it from `client` and accepts that: returns the
// accepted end. Its number is at least `lowest`; the other end's is at least 512.
int ctest_accepted(const char *server, const char *target, const char *client, int lowest);

// A socket for datagrams that is connected to the numeric address `target`.
int ctest_datagrams(const char *target);

// Closes a descriptor.
void ctest_close(int descriptor);

// Whether a descriptor is an open socket: 1 or 0.
int ctest_is_socket(int descriptor);

// How many sockets are open.
int ctest_sockets(void);

// Counts the signals that announce a child's end, or ignores them.
void ctest_watch_children(int ignoring);

// How many such signals there were since.
int ctest_child_signals(void);

// Whether waiting for any child finds one, also those whose end no signal announces if `all` is
// said: 1 or 0.
int ctest_finds_child(int all);

// Sets the real, effective and saved user identity of this process: 0, or -1.
int ctest_set_identities(unsigned real, unsigned effective, unsigned saved);

// Milliseconds of a clock that is never set.
int64_t ctest_milliseconds(void);

#pragma clang assume_nonnull end
