// What Swift may call of OpenSSL's libcrypto (3.0 or later): thin, inline, no state.
#pragma once

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#pragma clang assume_nonnull begin

// A keyed HMAC context, or NULL. `digest` is OpenSSL's name of the hash function.
static inline EVP_MAC_CTX *_Nullable ccrypto_hmac_new(
    const char *digest, const uint8_t *key, size_t key_count) {
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  if (mac == NULL) return NULL;
  EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
  EVP_MAC_free(mac);
  if (context == NULL) return NULL;
  OSSL_PARAM parameters[2] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
      OSSL_PARAM_construct_end(),
  };
  if (EVP_MAC_init(context, key, key_count, parameters) != 1) {
    EVP_MAC_CTX_free(context);
    return NULL;
  }
  return context;
}

// The tag of one message under the context's key. Returns 1, or 0 on failure.
static inline int ccrypto_hmac_tag(
    EVP_MAC_CTX *context, const uint8_t *_Nullable message, size_t count, uint8_t *tag,
    size_t capacity, size_t *tag_count) {
  return EVP_MAC_init(context, NULL, 0, NULL) == 1 &&
         EVP_MAC_update(context, message, count) == 1 &&
         EVP_MAC_final(context, tag, tag_count, capacity) == 1;
}

// AES-256-GCM with a 12-byte nonce and a 16-byte tag. Returns 1, or 0 on failure.
static inline int ccrypto_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *_Nullable associated,
    size_t associated_count, const uint8_t *plaintext, size_t count, uint8_t *ciphertext,
    uint8_t *tag) {
  if (associated_count > INT_MAX || count > INT_MAX) return 0;
  EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int written = 0;
  int done = cipher != NULL && context != NULL &&
             EVP_EncryptInit_ex2(context, cipher, key, nonce, NULL) == 1 &&
             EVP_EncryptUpdate(context, NULL, &written, associated, (int)associated_count) == 1 &&
             EVP_EncryptUpdate(context, ciphertext, &written, plaintext, (int)count) == 1 &&
             written == (int)count &&
             EVP_EncryptFinal_ex(context, ciphertext + count, &written) == 1 && written == 0 &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
  EVP_CIPHER_CTX_free(context);
  EVP_CIPHER_free(cipher);
  return done;
}

// Opens what ccrypto_seal made. Returns 1, or 0 when anything differs; then `plaintext` is wiped.
static inline int ccrypto_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *_Nullable associated,
    size_t associated_count, const uint8_t *ciphertext, size_t count, const uint8_t *tag,
    uint8_t *plaintext) {
  if (associated_count > INT_MAX || count > INT_MAX) return 0;
  EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int written = 0;
  int done = cipher != NULL && context != NULL &&
             EVP_DecryptInit_ex2(context, cipher, key, nonce, NULL) == 1 &&
             EVP_DecryptUpdate(context, NULL, &written, associated, (int)associated_count) == 1 &&
             EVP_DecryptUpdate(context, plaintext, &written, ciphertext, (int)count) == 1 &&
             written == (int)count &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)tag) == 1 &&
             EVP_DecryptFinal_ex(context, plaintext + count, &written) == 1 && written == 0;
  EVP_CIPHER_CTX_free(context);
  EVP_CIPHER_free(cipher);
  if (!done) OPENSSL_cleanse(plaintext, count);
  return done;
}

// Failures of libcrypto stay in a queue of the host's thread; ours are none of its business.
static inline void ccrypto_mark(void) { ERR_set_mark(); }
static inline void ccrypto_forget_errors(void) { ERR_pop_to_mark(); }

#pragma clang assume_nonnull end
