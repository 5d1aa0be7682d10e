// A library to preload: the wall clock of a process is ahead by the seconds in the file that MFA_TEST_CLOCK names, a
// 64-bit number in the order of the machine. The file can change at any time. The monotonic clock stays as it is.
//
// libfaketime(1) does more, but a program with it sees no command line.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

__attribute__((constructor)) static void open_clock(void) {
  const char *path = getenv("MFA_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *place = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (place != MAP_FAILED) offset = place;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
  long status = syscall(SYS_clock_gettime, clock, result);
  if (status == 0 && clock == CLOCK_REALTIME && offset) result->tv_sec += *offset;
  return (int)status;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  *result = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
