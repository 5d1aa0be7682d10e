// Functions that the Swift clients need to start the helper and that no other module provides. They
// are GNU extensions of POSIX, declared here because the other declarations of the C library
// (CPOSIX) cannot be imported together with Dispatch and Foundation. This header keeps no state.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static inline int cspawn_errno(void) { return errno; }

// Creates a pipe whose ends have `flags`.
int cspawn_pipe(int *_Nonnull ends, int flags) __asm__("pipe2");

// Closes every descriptor from `first` on in the new process.
int cspawn_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first)
    __asm__("posix_spawn_file_actions_addclosefrom_np");

// Disables core dumps of this process, and prevents other processes of the user from tracing it or
// reading its memory (PR_SET_DUMPABLE). Returns 0, or -1 on failure.
static inline int cspawn_protect(void) {
  const struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_CORE, &none) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -1;
}

// Returns the system's text for an error number ("No such file or directory"), or NULL.
const char *_Nullable cspawn_error_text(int number) __asm__("strerrordesc_np");

// Duplicates a descriptor to the lowest free number from `first` on. New programs do not inherit
// it.
static inline int cspawn_duplicate(int descriptor, int first) {
  return fcntl(descriptor, F_DUPFD_CLOEXEC, first);
}
