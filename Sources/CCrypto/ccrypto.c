#define _DEFAULT_SOURCE
// HMAC_CTX is deprecated in favour of EVP_MAC; see below why it is used all the same.
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

// The functions of libcrypto that are used. Each is called through `call(NAME)`, which has the type
// that OpenSSL's own header gives it. They are looked up when they are first needed, in the groups
// that follow one another here: looking one up costs 1 us and more, and a sign-in needs those to hash
// and to open alone.
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

// How many functions have to be there for what.
enum need {
  to_hash = at_HMAC_Final + 1,
  to_open = at_EVP_DecryptFinal_ex + 1,
  to_seal = function_count
};

// The addresses of the first `loaded` functions. They are written once or, by threads that come at the
// same time, more than once with the same values: there is no lock that a fork could leave locked.
// Nothing is ever unloaded, for a host may have come to use the library meanwhile.
static void *_Atomic addresses[function_count];
static atomic_int loaded;

#define call(name) \
  ((__typeof__(&name))atomic_load_explicit(&addresses[at_##name], memory_order_relaxed))

#define text_of(number) #number
#define soname(version) "libcrypto.so." text_of(version)

// Loads libcrypto at the first call, and finds what is needed. Returns 1, or 0 when it cannot be had.
static int load(enum need need) {
  if (atomic_load_explicit(&loaded, memory_order_acquire) >= (int)need) return 1;

  // A name without a slash: in a privileged process, the system's own directories alone.
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

// Failures of libcrypto stay in a queue of the host's thread; ours are none of its business. So what
// every call leaves there is taken away between these two.
static int begin(enum need need) {
  if (!load(need)) return 0;
  call(ERR_set_mark)();
  return 1;
}

static int end(int done) {
  call(ERR_pop_to_mark)();
  return done;
}

void ccrypto_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }

int ccrypto_equal(const uint8_t *left, const uint8_t *right, size_t count) {
  // Volatile, so that the loop is not left early and no comparison replaces it.
  const volatile uint8_t *one = left, *other = right;
  uint8_t difference = 0;
  for (size_t index = 0; index < count; index++) difference |= one[index] ^ other[index];
  return (int)(((unsigned)difference - 1) >> 31);
}

int ccrypto_random(uint8_t *bytes, size_t count) {
  if (count > INT_MAX || !begin(to_seal)) return 0;
  return end(call(RAND_priv_bytes)(bytes, (int)count) == 1);
}

// HMAC_CTX and not EVP_MAC: the first fetch of an EVP_MAC in a process sets up every kind of MAC
// there is, 90 us for a hash that takes one. The digest is fetched from the host's default context
// either way, so that the FIPS provider answers where openssl.cnf asks for it.
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
  // The context holds the digest from here on.
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
  // Without a key and a digest: those of the context.
  const int done = call(HMAC_Init_ex)(hmac->context, NULL, 0, NULL, NULL) == 1 &&
                   call(HMAC_Update)(hmac->context, message, count) == 1 &&
                   call(HMAC_Final)(hmac->context, whole, &written) == 1 && written <= capacity;
  if (done) memcpy(tag, whole, written);
  ccrypto_wipe(whole, sizeof whole);
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
  if (!done) ccrypto_wipe(plaintext, count);
  return end(done);
}
