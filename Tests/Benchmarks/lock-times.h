// The file that lock-times.so writes, which all processes map.
#pragma once
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct lock_times {
  _Atomic uint64_t count;    // of locks that were taken
  _Atomic uint64_t longest;  // nanoseconds from the first attempt to the lock
};

// Maps the file that the environment names. Returns NULL on failure.
static inline struct lock_times *map_lock_times(void) {
  const char *path = getenv("MFA_LOCK_TIMES");
  int file = path == NULL ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(struct lock_times)) != 0) return NULL;
  void *times = mmap(NULL, sizeof(struct lock_times), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (times == MAP_FAILED) return NULL;
  return times;
}
