// Functions for the administrator's tools that a sign-in does not need.
#pragma once

#include <stddef.h>
#include <sys/statvfs.h>

// Returns 1 if the kernel's clock is synchronised, 0 if it is not, and -1 on failure. Changes
// nothing (adjtimex(2)).
int cposix_clock_is_synchronized(void);

// Kills the process that `process`, a descriptor from `cposix_open_process`, refers to, and waits
// at most `milliseconds` for its end. Returns whether the process has ended.
int cposix_kill_process(int process, int milliseconds);

// Returns 1 if the file at `path` grants CAP_AUDIT_WRITE to the process that executes it, 0 if it
// does not, and -1 if this cannot be determined.
int cposix_may_write_audit(const char *_Nonnull path);

// Returns the number of terminal columns of a character in the locale's character set, or -1 if it
// is not printable (wcwidth(3), which Swift does not import because it is an X/Open extension).
int cposix_columns(wchar_t character) __asm__("wcwidth");
