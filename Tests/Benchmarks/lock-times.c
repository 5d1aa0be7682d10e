// A library for LD_PRELOAD that measures how long a process waits for a lock: from the first call of
// flock(2) for a file to the call that takes the lock. Used by `parallel --one-user` for the
// applications and for mfad, which try again and again until they have the lock.
#define _GNU_SOURCE
#include "lock-times.h"

#include <dlfcn.h>
#include <sys/file.h>
#include <time.h>

static struct lock_times *times;
static int (*system_flock)(int, int);
static uint64_t first;  // when this process first tried to take the lock, or 0

static __attribute__((constructor)) void prepare(void) {
  times = map_lock_times();
  system_flock = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int flock(int descriptor, int operation) {
  if (first == 0) first = now();
  int result = system_flock(descriptor, operation);
  if (result != 0 || times == NULL) return result;
  const uint64_t waited = now() - first;
  first = 0;
  times->count++;
  uint64_t longest = times->longest;
  while (waited > longest && !atomic_compare_exchange_weak(&times->longest, &longest, waited))
    continue;
  return result;
}
