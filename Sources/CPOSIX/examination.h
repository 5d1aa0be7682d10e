// What an administrator's tool asks about the host, beside what a sign-in does.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

// Whether something keeps the kernel's clock in time: 1 or 0; -1 when that could not be found out.
// Nothing is set (adjtimex(2)).
static inline int cposix_clock_is_synchronized(void) {
  struct timex state = {.modes = 0};
  const int answer = adjtimex(&state);
  return answer < 0 ? -1 : answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

// Opens a descriptor of a process (pidfd_open(2)), which names that process even when the kernel reuses
// its number. Returns -1 when the process does not exist.
static inline int cposix_open_process(int number) {
  return (int)syscall(SYS_pidfd_open, number, 0);
}

// Kills the process and waits for its end, for `milliseconds` at most. Returns whether it has ended.
static inline int cposix_kill_process(int process, int milliseconds) {
  if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) != 0) return 0;
  struct pollfd end = {.fd = process, .events = POLLIN};
  return poll(&end, 1, milliseconds) > 0;
}
