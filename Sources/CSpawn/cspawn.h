// What ordinary Swift needs to start the helper and finds in no module of its own: GNU's additions
// to POSIX, declared here because a second view of the C library (CPOSIX) does not go together with
// Dispatch and Foundation in one module. No state.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>

static inline int cspawn_errno(void) { return errno; }

// A pipe whose ends have `flags`.
int cspawn_pipe(int *_Nonnull ends, int flags) __asm__("pipe2");

// The new process closes every descriptor from `first` on.
int cspawn_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first)
    __asm__("posix_spawn_file_actions_addclosefrom_np");

// The system's words for an error number ("No such file or directory"), or NULL.
const char *_Nullable cspawn_error_text(int number) __asm__("strerrordesc_np");

// Another descriptor of the same file: the lowest free one from `first` on, not inherited.
static inline int cspawn_duplicate(int descriptor, int first) {
  return fcntl(descriptor, F_DUPFD_CLOEXEC, first);
}
