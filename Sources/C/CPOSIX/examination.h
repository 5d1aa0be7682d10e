// Functions for the administrator's tools that a sign-in does not need.
#pragma once

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

// Returns 1 if the kernel's clock is synchronised, 0 if it is not, and -1 on failure. Changes
// nothing (adjtimex(2)).
static inline int cposix_clock_is_synchronized(void) {
  struct timex state = {.modes = 0};
  const int answer = adjtimex(&state);
  return answer < 0 ? -1 : answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

// Opens a descriptor of a process (pidfd_open(2)), which refers to that process even when the
// kernel reuses its number. Returns -1 if the process does not exist.
static inline int cposix_open_process(int number) {
  return (int)syscall(SYS_pidfd_open, number, 0);
}

// Kills the process and waits at most `milliseconds` for its end. Returns whether it has ended.
static inline int cposix_kill_process(int process, int milliseconds) {
  if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) != 0) return 0;
  struct pollfd end = {.fd = process, .events = POLLIN};
  return poll(&end, 1, milliseconds) > 0;
}

// Returns the number of terminal columns of a character in the locale's character set, or -1 if it
// is not printable (wcwidth(3), which Swift does not import because it is an X/Open extension).
int cposix_columns(wchar_t character) __asm__("wcwidth");
