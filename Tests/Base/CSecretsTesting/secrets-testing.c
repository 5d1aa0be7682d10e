#define _GNU_SOURCE
#include "secrets-testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { line_length = 8, marker = 0xC3, chunk = 1 << 20, smallest_page = 1 << 12 };

// Longer than any mapping of a program, but shorter than a sanitizer's shadow memory, which has one
// byte for every few bytes of the address space and would take hours to read.
static const unsigned long longest_mapping = 1UL << 36;

// SplitMix64, one byte at a time, so that no register holds a whole line.
uint8_t testing_pattern(uint64_t seed, int64_t index) {
  if (index % line_length == 0) return marker;
  uint64_t mixed = seed + (uint64_t)index * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return (uint8_t)(mixed >> 56);
}

static int is_line(const uint8_t *bytes, uint64_t seed, int64_t line) {
  int index = 0;
  while (index < line_length && bytes[index] == testing_pattern(seed, line * line_length + index)) {
    index++;
  }
  return index == line_length;
}

static void look(const uint8_t *bytes, size_t count, uint64_t seed, int64_t lines, uint8_t *seen) {
  const uint8_t *end = bytes + count;
  while ((bytes = memchr(bytes, marker, (size_t)(end - bytes))) != NULL) {
    if (end - bytes < line_length) return;
    for (int64_t line = 0; line < lines; line++) {
      if (!seen[line] && is_line(bytes, seed, line)) seen[line] = 1;
    }
    bytes++;
  }
}

// Returns whether a page from `start` to `stop` is in memory or swapped out. The range is at most one chunk. Sanitizers
// reserve gigabytes of pages that are never used, and reading those takes minutes. The kernel documents the bits of
// an entry in admin-guide/mm/pagemap.rst.
static int is_used(int pages, unsigned long start, unsigned long stop) {
  static const uint64_t present = 1ULL << 63, swapped = 1ULL << 62;
  uint64_t entries[chunk / smallest_page + 1];
  unsigned long size = (unsigned long)sysconf(_SC_PAGESIZE), first = start / size;
  size_t wanted = ((stop - 1) / size - first + 1) * sizeof entries[0];
  ssize_t got = pread(pages, entries, wanted, (off_t)(first * sizeof entries[0]));
  if (got != (ssize_t)wanted) return 1;
  for (size_t page = 0; page < wanted / sizeof entries[0]; page++) {
    if (entries[page] & (present | swapped)) return 1;
  }
  return 0;
}

int64_t testing_lines_in_memory(uint64_t seed, int64_t lines) {
  FILE *maps = fopen("/proc/self/maps", "re");
  int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  int pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  // The buffer is in separate pages that are not searched, so that bytes that were read are not
  // found again. Successive chunks overlap by less than a line. The buffer is shared memory, which
  // distinguishes it from adjacent mappings.
  uint8_t *buffer = mmap(
      NULL, chunk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  uint8_t *seen = calloc((size_t)lines + 1, 1);
  int64_t found = -1;
  if (maps == NULL || memory < 0 || pages < 0 || buffer == MAP_FAILED || seen == NULL) goto end;

  char text[512];
  while (fgets(text, sizeof text, maps) != NULL) {
    unsigned long start, stop;
    char mode[5];
    if (sscanf(text, "%lx-%lx %4s", &start, &stop, mode) != 3 || mode[1] != 'w') continue;
    if (start <= (unsigned long)buffer && (unsigned long)buffer < stop) continue;
    if (stop - start > longest_mapping) continue;
    while (start < stop) {
      size_t wanted = stop - start < chunk ? stop - start : chunk;
      if (!is_used(pages, start, start + wanted)) {
        start += wanted;
        continue;
      }
      ssize_t got = pread(memory, buffer, wanted, (off_t)start);
      if (got <= 0) break;
      look(buffer, (size_t)got, seed, lines, seen);
      if (got < line_length || (size_t)got == stop - start) break;
      start += (unsigned long)got - (line_length - 1);
    }
  }
  found = 0;
  for (int64_t line = 0; line < lines; line++) found += seen[line];

end:
  free(seen);
  if (buffer != MAP_FAILED) munmap(buffer, chunk);
  if (pages >= 0) close(pages);
  if (memory >= 0) close(memory);
  if (maps != NULL) fclose(maps);
  return found;
}

int testing_libcrypto_is_mapped(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (maps == NULL) return -1;
  char text[512];
  int found = 0;
  while (!found && fgets(text, sizeof text, maps) != NULL) found = strstr(text, "/libcrypto.so") != NULL;
  fclose(maps);
  return found;
}

int testing_allow_files(int allowed) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = allowed ? limit.rlim_max : 0;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

struct runner {
  pthread_t thread;
  pthread_barrier_t *start;
  int (*body)(int);
  int number;
  int result;
};

static void *run(void *argument) {
  struct runner *runner = argument;
  pthread_barrier_wait(runner->start);
  runner->result = runner->body(runner->number);
  return NULL;
}

int testing_in_threads(int count, int (*body)(int)) {
  pthread_barrier_t start;
  struct runner *runners = calloc((size_t)count, sizeof *runners);
  if (runners == NULL || pthread_barrier_init(&start, NULL, (unsigned)count) != 0) {
    free(runners);
    return 0;
  }
  for (int number = 0; number < count; number++) {
    runners[number] = (struct runner){.start = &start, .body = body, .number = number};
    // The other threads would wait for this one forever.
    if (pthread_create(&runners[number].thread, NULL, run, &runners[number]) != 0) abort();
  }
  int succeeded = 0;
  for (int number = 0; number < count; number++) {
    pthread_join(runners[number].thread, NULL);
    succeeded += runners[number].result == 1;
  }
  pthread_barrier_destroy(&start);
  free(runners);
  return succeeded;
}
