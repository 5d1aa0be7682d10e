// What ordinary Swift needs to start the helper and finds in no module of its own: GNU's additions
// to POSIX, declared here because a second view of the C library (CPOSIX) does not go together with
// Dispatch and Foundation in one module. No state.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static inline int cspawn_errno(void) { return errno; }

// A pipe whose ends have `flags`.
int cspawn_pipe(int *_Nonnull ends, int flags) __asm__("pipe2");

// The new process closes every descriptor from `first` on.
int cspawn_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first)
    __asm__("posix_spawn_file_actions_addclosefrom_np");

// Has the kernel write no core dump of this process, and lets no other process of the user's trace it or
// read its memory (PR_SET_DUMPABLE): 0, or -1.
static inline int cspawn_protect(void) {
  const struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_CORE, &none) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -1;
}

// The system's words for an error number ("No such file or directory"), or NULL.
const char *_Nullable cspawn_error_text(int number) __asm__("strerrordesc_np");

// Another descriptor of the same file: the lowest free one from `first` on, not inherited.
static inline int cspawn_duplicate(int descriptor, int first) {
  return fcntl(descriptor, F_DUPFD_CLOEXEC, first);
}
