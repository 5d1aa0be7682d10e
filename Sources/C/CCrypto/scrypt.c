// Slow hashes. In a file of its own, so that programs that do not use them contain none of this.
#include "ccrypto.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <string.h>

#define function(name) ((__typeof__(&name))ccrypto_lookup(#name))

int ccrypto_scrypt(
    const uint8_t *secret, size_t count, const uint8_t *salt, size_t salt_count, unsigned cost,
    uint8_t *hash, size_t hash_count) {
  // 2^cost KiB and a little more for the rest. 128 MiB at most.
  if (cost < 10 || cost > 17) return 0;
  const uint64_t most = (UINT64_C(1) << (cost + 10)) + (UINT64_C(1) << 20);
  __typeof__(&EVP_PBE_scrypt) scrypt = function(EVP_PBE_scrypt);
  __typeof__(&ERR_set_mark) mark = function(ERR_set_mark);
  __typeof__(&ERR_pop_to_mark) pop = function(ERR_pop_to_mark);
  if (scrypt == NULL || mark == NULL || pop == NULL) return 0;
  mark();
  const int done = scrypt(
                       (const char *)secret, count, salt, salt_count, UINT64_C(1) << cost, 8, 1,
                       most, hash, hash_count) == 1;
  pop();
  if (!done) memset(hash, 0, hash_count);
  return done;
}
