// The cryptographic functions for Swift. They use OpenSSL's libcrypto (3.0 or later), which is
// loaded by the first call that needs it.
//
// It is loaded late because sudo, login and su do not use libcrypto. In such a process (Debian 12,
// x86_64, OpenSSL 3.0), loading it took 1,000 to 1,300 us and 412 kB of unshared memory, and its
// first use, which reads openssl.cnf, another 900 us and 124 kB. A sign-in that never asks for a
// code, because the user is not enrolled or the policy is off, avoids these costs. In a process
// that already uses libcrypto, such as sshd, finding it and looking up the functions takes 7 us.
//
// The loaded library is the version that the headers belong to. Its default context is used, with
// the host's configuration: if openssl.cnf selects the FIPS provider, that provider is used. If the
// library or a function is missing, or the configuration is refused, every call that needs it
// fails, and the next call tries again.
//
// Wiping and comparing do not need libcrypto, because both must work before it is loaded and
// without it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Fills a block from the random generator for private values. Returns 1, or 0 on failure.
int ccrypto_random(uint8_t *bytes, size_t count);

// HMAC with one key.
typedef struct ccrypto_hmac ccrypto_hmac;

// Creates a keyed HMAC context, or returns NULL. `digest` is OpenSSL's name of the hash function.
ccrypto_hmac *_Nullable ccrypto_hmac_new(const char *digest, const uint8_t *key, size_t key_count);

// Computes the tag of one message with the context's key. Returns 1, or 0 on failure.
int ccrypto_hmac_tag(
    ccrypto_hmac *hmac, const uint8_t *_Nullable message, size_t count, uint8_t *tag,
    size_t capacity, size_t *tag_count);

// Frees a context and wipes its key.
void ccrypto_hmac_free(ccrypto_hmac *hmac);

// Encrypts with AES-256-GCM: 32-byte key, 12-byte nonce, 16-byte tag. Returns 1, or 0 on failure.
int ccrypto_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *_Nullable associated,
    size_t associated_count, const uint8_t *plaintext, size_t count, uint8_t *ciphertext,
    uint8_t *tag);

// Decrypts the output of ccrypto_seal. Returns 1, or 0 if anything differs or libcrypto fails;
// `plaintext` then contains no decrypted byte.
int ccrypto_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *_Nullable associated,
    size_t associated_count, const uint8_t *ciphertext, size_t count, const uint8_t *tag,
    uint8_t *plaintext);

// Computes scrypt (RFC 7914) with N = 2^cost, r = 8, p = 1, which uses 2^cost KiB of memory. Returns 1,
// or 0 on failure. A program that never calls it does not look the function up.
int ccrypto_scrypt(
    const uint8_t *secret, size_t count, const uint8_t *salt, size_t salt_count, unsigned cost,
    uint8_t *hash, size_t hash_count);

// Returns the address of a function of libcrypto, or NULL.
void *_Nullable ccrypto_lookup(const char *name);

#pragma clang assume_nonnull end
