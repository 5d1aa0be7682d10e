// Measures alternative implementations of the parts of a login.
//
//   login-parts DIRECTORY [ITERATIONS]        default 1000; DIRECTORY on the disk to be measured
//
// Built and called by `run --parts`. The alternatives take turns within one run.
#define _GNU_SOURCE
#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

enum { factors = 8, steps = 11, slot_size = 512 };

static const uint8_t key[20] = {1};
static uint8_t output[64];
static int directory = -1, slots = -1, overwritten;

static _Noreturn void failed(const char *what) {
  perror(what);
  exit(2);
}

static EVP_MAC_CTX *keyed(EVP_MAC *mac) {
  char name[] = "SHA1";
  OSSL_PARAM parameters[2] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                              OSSL_PARAM_construct_end()};
  EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
  if (context == NULL || !EVP_MAC_init(context, key, sizeof key, parameters))
    failed("EVP_MAC_init");
  return context;
}

static void finish(EVP_MAC_CTX *context, int step) {
  uint8_t message[8] = {(uint8_t)step};
  size_t count = 0;
  if (!EVP_MAC_update(context, message, 8) || !EVP_MAC_final(context, output, &count, 64))
    failed("EVP_MAC_final");
}

static void reuse(void) {
  for (int factor = 0; factor < factors; factor++) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = keyed(mac);
    for (int step = 0; step < steps; step++) {
      if (!EVP_MAC_init(context, NULL, 0, NULL)) failed("EVP_MAC_init");
      finish(context, step);
    }
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
  }
}

static void duplicate(void) {
  for (int factor = 0; factor < factors; factor++) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = keyed(mac);
    for (int step = 0; step < steps; step++) {
      EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(context);
      finish(copy, step);
      EVP_MAC_CTX_free(copy);
    }
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
  }
}

static void one_shots(void) {
  for (int factor = 0; factor < factors; factor++)
    for (int step = 0; step < steps; step++) {
      uint8_t message[8] = {(uint8_t)step};
      unsigned count = 0;
      if (HMAC(EVP_sha1(), key, sizeof key, message, 8, output, &count) == NULL) failed("HMAC");
    }
}

static void write_slot(int slot) {
  uint8_t bytes[slot_size];
  memset(bytes, ++overwritten, sizeof bytes);
  if (pwrite(slots, bytes, sizeof bytes, slot * 4096) != slot_size) failed("pwrite");
}

static void slot_unsynced(void) { write_slot(0); }
static void slot_synced(void) {
  write_slot(0);
  if (fdatasync(slots) != 0) failed("fdatasync");
}
static void two_slots_synced(void) {
  slot_synced();
  write_slot(1);
  if (fdatasync(slots) != 0) failed("fdatasync");
}
static void slot_fsynced(void) {
  write_slot(0);
  if (fsync(slots) != 0) failed("fsync");
}
static void slot_whole_open(void) {
  int kept = slots;
  slots = openat(directory, "slots", O_RDWR | O_CLOEXEC);
  if (slots < 0) failed("slots");
  slot_synced();
  close(slots);
  slots = kept;
}
static void slot_dsync(void) {
  int kept = slots;
  slots = openat(directory, "slots", O_RDWR | O_CLOEXEC | O_DSYNC);
  write_slot(0);
  close(slots);
  slots = kept;
}
static void replace(int sync_directory) {
  uint8_t bytes[slot_size];
  memset(bytes, ++overwritten, sizeof bytes);
  int file = openat(directory, "new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || write(file, bytes, sizeof bytes) != slot_size || fsync(file) != 0 ||
      close(file) != 0 || renameat(directory, "new", directory, "replaced") != 0 ||
      (sync_directory && fsync(directory) != 0))
    failed("replace");
}
static void replaced(void) { replace(1); }
static void replaced_undirected(void) { replace(0); }
static void replaced_unsynced(void) {
  uint8_t bytes[slot_size] = {0};
  int file = openat(directory, "new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || write(file, bytes, sizeof bytes) != slot_size || close(file) != 0 ||
      renameat(directory, "new", directory, "replaced") != 0)
    failed("replace");
}

static const char log_line[] =
    "result=accepted user=alice service=sshd rhost=192.0.2.1 factor=1";

static void log_first(void) {
  closelog();
  syslog(LOG_AUTHPRIV | LOG_INFO, "%s", log_line);
}
static void log_again(void) {
  syslog(LOG_AUTHPRIV | LOG_INFO, "%s", log_line);
}

static const struct {
  const char *name;
  void (*take)(void);
} ways[] = {
    {"8 factors x 11 tags: EVP_MAC_init again", reuse},
    {"8 factors x 11 tags: EVP_MAC_CTX_dup", duplicate},
    {"8 factors x 11 tags: HMAC()", one_shots},
    {"slot: pwrite", slot_unsynced},
    {"slot: pwrite, fdatasync", slot_synced},
    {"slot: open, pwrite, fdatasync, close", slot_whole_open},
    {"slot: open O_DSYNC, pwrite, close", slot_dsync},
    {"slot: pwrite, fsync", slot_fsynced},
    {"slot: pwrite, fdatasync, twice", two_slots_synced},
    {"replace: write, rename", replaced_unsynced},
    {"replace: write, fsync, rename", replaced_undirected},
    {"replace: write, fsync, rename, fsync directory", replaced},
    {"syslog, connecting", log_first},
    {"syslog, connected", log_again},
};
enum { way_count = sizeof ways / sizeof ways[0] };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int ascending(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  int iterations = count > 2 ? atoi(arguments[2]) : 1000;
  if (count < 2 || iterations < 1) return 2;
  directory = open(arguments[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) failed(arguments[1]);
  slots = openat(directory, "slots", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (slots < 0) failed("slots");
  uint8_t block[8192];
  memset(block, 1, sizeof block);
  if (pwrite(slots, block, sizeof block, 0) != sizeof block || fsync(slots) != 0) failed("slots");

  double *values = calloc((size_t)(way_count * iterations), sizeof *values);
  if (values == NULL) failed("calloc");
  for (int iteration = 0; iteration < iterations; iteration++)
    for (int way = 0; way < way_count; way++) {
      double begin = now();
      ways[way].take();
      values[way * iterations + iteration] = now() - begin;
    }
  printf("%-48s %8s %8s %8s\n", "microseconds", "p50", "p90", "p99");
  for (int way = 0; way < way_count; way++) {
    double *own = &values[way * iterations];
    qsort(own, (size_t)iterations, sizeof *own, ascending);
    printf("%-48s %8.1f %8.1f %8.1f\n", ways[way].name, own[iterations / 2],
           own[(int)(0.9 * (iterations - 1))], own[(int)(0.99 * (iterations - 1))]);
  }
  unlinkat(directory, "slots", 0);
  unlinkat(directory, "replaced", 0);
  return 0;
}
