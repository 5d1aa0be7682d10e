// What an administrator's tool asks about the host, beside what a sign-in does.
#pragma once

#include <sys/statvfs.h>
#include <sys/timex.h>

// Whether something keeps the kernel's clock in time: 1 or 0; -1 when that could not be found out.
// Nothing is set (adjtimex(2)).
static inline int cposix_clock_is_synchronized(void) {
  struct timex state = {.modes = 0};
  const int answer = adjtimex(&state);
  return answer < 0 ? -1 : answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}
