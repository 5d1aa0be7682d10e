// What Swift may call for cryptography. OpenSSL's libcrypto (3.0 or later) does the work, and is
// loaded by the first call that needs it, never before.
//
// Why so late: sudo, login and su do not use libcrypto. In such a process (Debian 12, x86_64,
// OpenSSL 3.0) loading it took 1,000 to 1,300 us and 412 kB of memory that no other process shares,
// and its first use, which reads openssl.cnf, another 900 us and 124 kB. A person who is never asked
// for a code, because nothing is enrolled or the policy is off, pays nothing of it this way. Where
// libcrypto is there already, as in sshd, finding it and looking the functions up takes 7 us.
//
// What is loaded is the library that the headers belong to, and what is used is its default context
// with the host's configuration: where openssl.cnf asks for the FIPS provider, that is what answers.
// If the library or one of the functions is missing, or its configuration is refused, every call
// that needs it fails, and the next one tries again.
//
// The wipe and the comparison need no libcrypto: both must work before it and without it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Overwrites memory with zeros, even when nothing reads it afterwards.
void ccrypto_wipe(void *bytes, size_t count);

// Whether two blocks are equal, 1 or 0, in a time that depends on their length alone.
int ccrypto_equal(const uint8_t *left, const uint8_t *right, size_t count);

// Fills a block from the generator kept for private values. Returns 1, or 0 on failure.
int ccrypto_random(uint8_t *bytes, size_t count);

// HMAC under one key.
typedef struct ccrypto_hmac ccrypto_hmac;

// A keyed HMAC context, or NULL. `digest` is OpenSSL's name of the hash function.
ccrypto_hmac *_Nullable ccrypto_hmac_new(const char *digest, const uint8_t *key, size_t key_count);

// The tag of one message under the context's key. Returns 1, or 0 on failure.
int ccrypto_hmac_tag(
    ccrypto_hmac *hmac, const uint8_t *_Nullable message, size_t count, uint8_t *tag,
    size_t capacity, size_t *tag_count);

// Ends a context; its key is wiped.
void ccrypto_hmac_free(ccrypto_hmac *hmac);

// AES-256-GCM with a 32-byte key, a 12-byte nonce and a 16-byte tag. Returns 1, or 0 on failure.
int ccrypto_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *_Nullable associated,
    size_t associated_count, const uint8_t *plaintext, size_t count, uint8_t *ciphertext,
    uint8_t *tag);

// Opens what ccrypto_seal made. Returns 1, or 0 when anything differs; then `plaintext` is wiped.
int ccrypto_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *_Nullable associated,
    size_t associated_count, const uint8_t *ciphertext, size_t count, const uint8_t *tag,
    uint8_t *plaintext);

#pragma clang assume_nonnull end
