// Measures what libcrypto costs a process that has not loaded it yet, step by step.
//
// The parent is never linked with libcrypto. Each scenario runs in its own child process, which
// opens the library, performs the scenario's steps and records the time after each step in shared
// memory. The scenarios alternate within one run, so that drift of the machine affects all of them
// alike.
//
//   libcrypto-start [ITERATIONS]        default 1000
//
// Built and called by `run --libcrypto`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { maximum_steps = 8, maximum_scenarios = 32 };

#define FUNCTIONS(X)                                                                            \
  X(OPENSSL_init_crypto) X(OSSL_LIB_CTX_new) X(OSSL_LIB_CTX_load_config) X(OSSL_PROVIDER_load)  \
  X(EVP_MAC_fetch) X(EVP_MAC_CTX_new) X(EVP_MAC_init) X(EVP_MAC_update) X(EVP_MAC_final)        \
  X(EVP_CIPHER_fetch) X(EVP_CIPHER_CTX_new) X(EVP_CIPHER_CTX_ctrl) X(EVP_DecryptInit_ex2)       \
  X(EVP_DecryptUpdate) X(EVP_DecryptFinal_ex) X(EVP_EncryptInit_ex2) X(EVP_EncryptUpdate)       \
  X(EVP_EncryptFinal_ex) X(EVP_MD_fetch) X(HMAC) X(EVP_sha1) X(RAND_priv_bytes)                 \
  X(RAND_priv_bytes_ex) X(SHA1) X(OSSL_PARAM_construct_utf8_string)                            \
  X(OSSL_PARAM_construct_end)

#define DECLARE(name) static __typeof__(&name) call_##name;
FUNCTIONS(DECLARE)

static void *library;
static OSSL_LIB_CTX *context;
static EVP_MAC_CTX *mac_context;
static const uint8_t key[32] = {1}, nonce[12] = {2};
static uint8_t ciphertext[64], tag[16];

// Each step returns 1 for success, 0 for failure.

static int open_lazily(void) {
  return (library = dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_LOCAL)) != NULL;
}

static int open_now(void) {
  return (library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL)) != NULL;
}

static int look_up(void) {
#define LOOK_UP(name) \
  if ((call_##name = (__typeof__(&name))dlsym(library, #name)) == NULL) return 0;
  FUNCTIONS(LOOK_UP)
  return 1;
}

static int nothing(void) { return 1; }
static int initialise(void) { return call_OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL); }
static int initialise_without_configuration(void) {
  return call_OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}
static int empty_configuration(void) { return setenv("OPENSSL_CONF", "/dev/null", 1) == 0; }
static int private_context(void) { return (context = call_OSSL_LIB_CTX_new()) != NULL; }
static int private_configuration(void) {
  return call_OSSL_LIB_CTX_load_config(context, "/etc/ssl/openssl.cnf");
}
static int provider(void) { return call_OSSL_PROVIDER_load(context, "default") != NULL; }

static int mac_fetch(void) {
  EVP_MAC *mac = call_EVP_MAC_fetch(context, "HMAC", NULL);
  return mac != NULL && (mac_context = call_EVP_MAC_CTX_new(mac)) != NULL;
}

static int mac_key(void) {
  char name[] = "SHA1";
  OSSL_PARAM parameters[2] = {
      call_OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
      call_OSSL_PARAM_construct_end()};
  return call_EVP_MAC_init(mac_context, key, 20, parameters);
}

static int mac_tags(void) {
  for (int step = 0; step < 11; step++) {
    uint8_t output[64], message[8] = {(uint8_t)step};
    size_t count = 0;
    if (!call_EVP_MAC_init(mac_context, NULL, 0, NULL) ||
        !call_EVP_MAC_update(mac_context, message, 8) ||
        !call_EVP_MAC_final(mac_context, output, &count, sizeof output))
      return 0;
  }
  return 1;
}

static int one_shot(void) {
  for (int step = 0; step < 11; step++) {
    uint8_t output[64], message[8] = {(uint8_t)step};
    unsigned count = 0;
    if (call_HMAC(call_EVP_sha1(), key, 20, message, 8, output, &count) == NULL) return 0;
  }
  return 1;
}

static int cipher_fetch_and_open(void) {
  EVP_CIPHER *cipher = call_EVP_CIPHER_fetch(context, "AES-256-GCM", NULL);
  EVP_CIPHER_CTX *state = call_EVP_CIPHER_CTX_new();
  uint8_t plaintext[64];
  int written = 0;
  if (cipher == NULL || state == NULL || !call_EVP_DecryptInit_ex2(state, cipher, key, nonce, NULL))
    return 0;
  if (!call_EVP_DecryptUpdate(state, plaintext, &written, ciphertext, 64)) return 0;
  call_EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, 16, tag);
  call_EVP_DecryptFinal_ex(state, plaintext, &written);  // the tag is wrong, which costs the same
  return 1;
}

static int digest_fetch(void) { return call_EVP_MD_fetch(context, "SHA1", NULL) != NULL; }
static int random_bytes(void) {
  uint8_t output[12];
  return call_RAND_priv_bytes_ex(context, output, sizeof output, 0);
}
static int system_random(void) {
  uint8_t output[12];
  return getentropy(output, sizeof output) == 0;
}
static int old_hash(void) {
  uint8_t output[20];
  return call_SHA1(key, 32, output) != NULL;
}
static int run_exit_handlers(void) { exit(0); }

struct scenario {
  const char *name;
  int initialised;  // the parent has initialised hashes, ciphers and random bytes, as sshd has
  struct {
    const char *name;
    int (*take)(void);
  } steps[maximum_steps];
};

static const struct scenario scenarios[] = {
    {"nothing", 0, {{"nothing", nothing}}},
    {"open, lazy", 0, {{"dlopen", open_lazily}}},
    {"open, now", 0, {{"dlopen", open_now}}},
    {"default context, configuration", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"init", initialise}, {"fetch mac", mac_fetch},
      {"hmac sha1 key", mac_key}, {"11 tags", mac_tags}, {"aes open", cipher_fetch_and_open},
      {"random", random_bytes}}},
    {"default context, OPENSSL_CONF=/dev/null", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"setenv", empty_configuration},
      {"init", initialise}, {"fetch mac", mac_fetch}, {"hmac sha1 key", mac_key},
      {"aes open", cipher_fetch_and_open}, {"random", random_bytes}}},
    {"default context, no configuration", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"init", initialise_without_configuration},
      {"fetch mac", mac_fetch}, {"hmac sha1 key", mac_key}, {"11 tags", mac_tags},
      {"aes open", cipher_fetch_and_open}, {"random", random_bytes}}},
    {"private context", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"new", private_context},
      {"fetch mac", mac_fetch}, {"hmac sha1 key", mac_key}, {"11 tags", mac_tags},
      {"aes open", cipher_fetch_and_open}, {"random", random_bytes}}},
    {"private context, configuration", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"new", private_context},
      {"load config", private_configuration}, {"fetch mac", mac_fetch},
      {"hmac sha1 key", mac_key}, {"aes open", cipher_fetch_and_open}, {"random", random_bytes}}},
    {"private, provider apart", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"new", private_context},
      {"load default", provider}, {"fetch mac", mac_fetch}, {"fetch digest", digest_fetch},
      {"hmac sha1 key", mac_key}, {"aes open", cipher_fetch_and_open}}},
    {"default, HMAC() one-shots", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"init", initialise}, {"11 HMAC()", one_shot},
      {"11 HMAC()", one_shot}, {"aes open", cipher_fetch_and_open}, {"random", random_bytes}}},
    {"default, old SHA1() one-shot", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"SHA1()", old_hash},
      {"getentropy", system_random}}},
    {"default, exit handlers", 0,
     {{"dlopen", open_now}, {"look up", look_up}, {"init", initialise}, {"fetch mac", mac_fetch},
      {"hmac sha1 key", mac_key}, {"aes open", cipher_fetch_and_open},
      {"exit()", run_exit_handlers}}},
    {"host has OpenSSL up, default context", 1,
     {{"dlopen", open_now}, {"look up", look_up}, {"init", initialise}, {"fetch mac", mac_fetch},
      {"hmac sha1 key", mac_key}, {"11 tags", mac_tags}, {"aes open", cipher_fetch_and_open},
      {"random", random_bytes}}},
    {"host has OpenSSL up, private context", 1,
     {{"dlopen", open_now}, {"look up", look_up}, {"new", private_context},
      {"fetch mac", mac_fetch}, {"hmac sha1 key", mac_key}, {"11 tags", mac_tags},
      {"aes open", cipher_fetch_and_open}, {"random", random_bytes}}},
};
enum { scenario_count = sizeof scenarios / sizeof scenarios[0] };

struct sample {
  double step[maximum_steps];
  double whole;  // from fork to waitpid
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void measure(const struct scenario *scenario, struct sample *sample, double *clock) {
  double begin = now();
  pid_t child = fork();
  if (child < 0) exit(2);
  if (child == 0) {
    clock[0] = now();
    for (int step = 0; step < maximum_steps && scenario->steps[step].take != NULL; step++) {
      if (scenario->steps[step].take() != 1) {
        fprintf(stderr, "%s: %s failed\n", scenario->name, scenario->steps[step].name);
        _exit(1);
      }
      clock[step + 1] = now();
    }
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) exit(2);
  sample->whole = now() - begin;
  for (int step = 0; step < maximum_steps; step++)
    sample->step[step] = clock[step + 1] - clock[step];
}

static int ascending(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

static double percentile(double *values, int count, double share) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[(int)(share * (count - 1))];
}

static void run(int initialised, int iterations, struct sample *samples, double *clock) {
  for (int iteration = -20; iteration < iterations; iteration++)
    for (int index = 0; index < scenario_count; index++) {
      if (scenarios[index].initialised != initialised) continue;
      struct sample discarded;
      measure(&scenarios[index],
              iteration < 0 ? &discarded : &samples[index * iterations + iteration], clock);
    }
}

int main(int count, char **arguments) {
  int iterations = count > 1 ? atoi(arguments[1]) : 1000;
  double *clock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  struct sample *samples = calloc((size_t)(scenario_count * iterations), sizeof *samples);
  double *values = calloc((size_t)iterations, sizeof *values);
  if (iterations < 1 || clock == MAP_FAILED || samples == NULL || values == NULL) exit(2);

  run(0, iterations, samples, clock);
  if (!open_now() || !look_up() || !initialise() || !digest_fetch() || !cipher_fetch_and_open() ||
      !random_bytes())
    exit(2);
  run(1, iterations, samples, clock);

  double base = 0;
  printf("microseconds, p50 of %d\n", iterations);
  for (int index = 0; index < scenario_count; index++) {
    struct sample *own = &samples[index * iterations];
    for (int i = 0; i < iterations; i++) values[i] = own[i].whole;
    double whole = percentile(values, iterations, 0.5), slow = percentile(values, iterations, 0.9);
    if (index == 0) base = whole;
    printf("%-42s whole %6.0f (p90 %6.0f) adds %6.0f :", scenarios[index].name, whole, slow,
           whole - base);
    for (int step = 0; step < maximum_steps && scenarios[index].steps[step].take; step++) {
      if (scenarios[index].steps[step].take == run_exit_handlers) break;
      for (int i = 0; i < iterations; i++) values[i] = own[i].step[step];
      printf("  %s %.0f", scenarios[index].steps[step].name, percentile(values, iterations, 0.5));
    }
    printf("\n");
  }
  free(values);
  free(samples);
  return 0;
}
