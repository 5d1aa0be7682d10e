#define _DEFAULT_SOURCE
// HMAC_CTX is deprecated in favour of EVP_MAC. `struct ccrypto_hmac` below explains why it is still
// used.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "ccrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/opensslv.h>
#include <openssl/rand.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// The functions used from libcrypto. Each is called through `call(NAME)`, which has the type
// declared by OpenSSL's header. Each of the following groups is looked up when it is first needed.
// Looking up a function costs 1 us or more, and a sign-in needs only the functions for hashing and
// decrypting.
#define FUNCTIONS_TO_HASH(each) \
  each(OPENSSL_init_crypto)     \
  each(ERR_set_mark)            \
  each(ERR_pop_to_mark)         \
  each(EVP_MD_fetch)            \
  each(EVP_MD_free)             \
  each(HMAC_CTX_new)            \
  each(HMAC_CTX_free)           \
  each(HMAC_Init_ex)            \
  each(HMAC_Update)             \
  each(HMAC_Final)

#define FUNCTIONS_TO_OPEN(each) \
  each(EVP_CIPHER_fetch)        \
  each(EVP_CIPHER_free)         \
  each(EVP_CIPHER_CTX_new)      \
  each(EVP_CIPHER_CTX_free)     \
  each(EVP_CIPHER_CTX_ctrl)     \
  each(EVP_DecryptInit_ex2)     \
  each(EVP_DecryptUpdate)       \
  each(EVP_DecryptFinal_ex)

#define FUNCTIONS_TO_SEAL(each) \
  each(RAND_priv_bytes)         \
  each(EVP_EncryptInit_ex2)     \
  each(EVP_EncryptUpdate)       \
  each(EVP_EncryptFinal_ex)

#define FUNCTIONS(each)   \
  FUNCTIONS_TO_HASH(each) \
  FUNCTIONS_TO_OPEN(each) \
  FUNCTIONS_TO_SEAL(each)

enum {
#define index_of(name) at_##name,
  FUNCTIONS(index_of)
#undef index_of
  function_count
};

static const char *const names[function_count] = {
#define name_of(name) [at_##name] = #name,
    FUNCTIONS(name_of)
#undef name_of
};

// The number of functions that an operation needs.
enum need {
  to_hash = at_HMAC_Final + 1,
  to_open = at_EVP_DecryptFinal_ex + 1,
  to_seal = function_count
};

// The addresses of the first `loaded` functions. Several threads may write an address, but always
// the same value. No lock is used, because a fork could leave it locked. The library is never
// unloaded, because the host may have begun to use it.
static void *_Atomic addresses[function_count];
static atomic_int loaded;

#define call(name) \
  ((__typeof__(&name))atomic_load_explicit(&addresses[at_##name], memory_order_relaxed))

#define text_of(number) #number
#define soname(version) "libcrypto.so." text_of(version)

// Loads libcrypto at the first call, and looks up the functions needed. Returns 1, or 0 on failure.
static int load(enum need need) {
  if (atomic_load_explicit(&loaded, memory_order_acquire) >= (int)need) return 1;

  // The name has no slash, so a privileged process searches only the system's directories.
  void *library = dlopen(soname(OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  for (int index = 0; index < (int)need; index++) {
    if (atomic_load_explicit(&addresses[index], memory_order_relaxed) != NULL) continue;
    void *found = dlsym(library, names[index]);
    if (found == NULL) return 0;
    atomic_store_explicit(&addresses[index], found, memory_order_relaxed);
  }

  call(ERR_set_mark)();
  int initialised = call(OPENSSL_init_crypto)(OPENSSL_INIT_LOAD_CONFIG, NULL) == 1;
  call(ERR_pop_to_mark)();
  if (!initialised) return 0;
  atomic_store_explicit(&loaded, (int)need, memory_order_release);
  return 1;
}

// libcrypto keeps errors in a queue of the host's thread. Errors between `begin` and `end` are
// removed from the queue, so that the host does not see errors of this module.
static int begin(enum need need) {
  if (!load(need)) return 0;
  call(ERR_set_mark)();
  return 1;
}

static int end(int done) {
  call(ERR_pop_to_mark)();
  return done;
}

void *ccrypto_lookup(const char *name) {
  if (!load(to_hash)) return NULL;
  // The library is loaded already.
  void *library = dlopen(soname(OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);
  return library == NULL ? NULL : dlsym(library, name);
}

int ccrypto_random(uint8_t *bytes, size_t count) {
  if (count > INT_MAX || !begin(to_seal)) return 0;
  return end(call(RAND_priv_bytes)(bytes, (int)count) == 1);
}

// HMAC_CTX is used instead of EVP_MAC, because the first fetch of an EVP_MAC in a process sets up
// every kind of MAC, which takes 90 us, whereas fetching a hash takes 1 us. Either way, the digest
// is fetched from the host's default context, so the FIPS provider is used if openssl.cnf requires
// it.
struct ccrypto_hmac {
  HMAC_CTX *context;
};

ccrypto_hmac *ccrypto_hmac_new(const char *digest, const uint8_t *key, size_t key_count) {
  if (key_count > INT_MAX || !begin(to_hash)) return NULL;
  EVP_MD *fetched = call(EVP_MD_fetch)(NULL, digest, NULL);
  ccrypto_hmac *hmac = calloc(1, sizeof *hmac);
  if (hmac != NULL) hmac->context = call(HMAC_CTX_new)();
  const int done = fetched != NULL && hmac != NULL && hmac->context != NULL &&
                   call(HMAC_Init_ex)(hmac->context, key, (int)key_count, fetched, NULL) == 1;
  // From here on, the context holds a reference to the digest.
  call(EVP_MD_free)(fetched);
  if (!done && hmac != NULL) {
    ccrypto_hmac_free(hmac);
    hmac = NULL;
  }
  end(done);
  return hmac;
}

int ccrypto_hmac_tag(
    ccrypto_hmac *hmac, const uint8_t *message, size_t count, uint8_t *tag, size_t capacity,
    size_t *tag_count) {
  uint8_t whole[EVP_MAX_MD_SIZE];
  unsigned written = 0;
  if (!begin(to_hash)) return 0;
  // No key and no digest: reuse those of the context.
  const int done = call(HMAC_Init_ex)(hmac->context, NULL, 0, NULL, NULL) == 1 &&
                   call(HMAC_Update)(hmac->context, message, count) == 1 &&
                   call(HMAC_Final)(hmac->context, whole, &written) == 1 && written <= capacity;
  if (done) memcpy(tag, whole, written);
  explicit_bzero(whole, sizeof whole);
  *tag_count = written;
  return end(done);
}

void ccrypto_hmac_free(ccrypto_hmac *hmac) {
  call(HMAC_CTX_free)(hmac->context);
  free(hmac);
}

int ccrypto_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *associated, size_t associated_count,
    const uint8_t *plaintext, size_t count, uint8_t *ciphertext, uint8_t *tag) {
  if (associated_count > INT_MAX || count > INT_MAX || !begin(to_seal)) return 0;
  EVP_CIPHER *cipher = call(EVP_CIPHER_fetch)(NULL, "AES-256-GCM", NULL);
  EVP_CIPHER_CTX *context = call(EVP_CIPHER_CTX_new)();
  int additional = (int)associated_count, length = (int)count, written = 0;
  int done =
      cipher != NULL && context != NULL &&
      call(EVP_EncryptInit_ex2)(context, cipher, key, nonce, NULL) == 1 &&
      call(EVP_EncryptUpdate)(context, NULL, &written, associated, additional) == 1 &&
      call(EVP_EncryptUpdate)(context, ciphertext, &written, plaintext, length) == 1 &&
      written == length &&
      call(EVP_EncryptFinal_ex)(context, ciphertext + count, &written) == 1 && written == 0 &&
      call(EVP_CIPHER_CTX_ctrl)(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
  call(EVP_CIPHER_CTX_free)(context);
  call(EVP_CIPHER_free)(cipher);
  return end(done);
}

int ccrypto_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *associated, size_t associated_count,
    const uint8_t *ciphertext, size_t count, const uint8_t *tag, uint8_t *plaintext) {
  if (associated_count > INT_MAX || count > INT_MAX || !begin(to_open)) return 0;
  EVP_CIPHER *cipher = call(EVP_CIPHER_fetch)(NULL, "AES-256-GCM", NULL);
  EVP_CIPHER_CTX *context = call(EVP_CIPHER_CTX_new)();
  int additional = (int)associated_count, length = (int)count, written = 0;
  int done =
      cipher != NULL && context != NULL &&
      call(EVP_DecryptInit_ex2)(context, cipher, key, nonce, NULL) == 1 &&
      call(EVP_DecryptUpdate)(context, NULL, &written, associated, additional) == 1 &&
      call(EVP_DecryptUpdate)(context, plaintext, &written, ciphertext, length) == 1 &&
      written == length &&
      call(EVP_CIPHER_CTX_ctrl)(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)tag) == 1 &&
      call(EVP_DecryptFinal_ex)(context, plaintext + count, &written) == 1 && written == 0;
  call(EVP_CIPHER_CTX_free)(context);
  call(EVP_CIPHER_free)(cipher);
  if (!done) explicit_bzero(plaintext, count);
  return end(done);
}
