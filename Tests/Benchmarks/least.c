// A PAM module that does the minimum for counting attempts durably with a hash from libcrypto: it
// asks for a code, locks an existing file, counts the attempt in it, computes one HMAC, writes the
// result and waits for the disk. It reads no configuration, looks up no user, verifies nothing that
// it reads, writes no log line and accepts every code.
//
// Used only by the benchmark, as the minimum that a sign-in can add; `run` builds it into a
// separate folder. The argument is the path of the file.
#include <dlfcn.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// HMAC-SHA-1 (RFC 2104) of the count, computed with the smallest part of libcrypto that still lets
// the host's configuration choose the hash.
static int authenticate(uint64_t count, uint8_t *tag) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
#define FIND(name) __typeof__(&name) call_##name = (__typeof__(&name))dlsym(library, #name)
  FIND(EVP_MD_fetch);
  FIND(EVP_MD_free);
  FIND(EVP_MD_CTX_new);
  FIND(EVP_MD_CTX_free);
  FIND(EVP_DigestInit_ex2);
  FIND(EVP_DigestUpdate);
  FIND(EVP_DigestFinal_ex);
  uint8_t inner[64], outer[64];
  memset(inner, 'k' ^ 0x36, sizeof inner);
  memset(outer, 'k' ^ 0x5C, sizeof outer);
  unsigned length = 0;
  EVP_MD *digest = call_EVP_MD_fetch(NULL, "SHA1", NULL);
  EVP_MD_CTX *context = call_EVP_MD_CTX_new();
  int done = digest != NULL && context != NULL &&
             call_EVP_DigestInit_ex2(context, digest, NULL) == 1 &&
             call_EVP_DigestUpdate(context, inner, sizeof inner) == 1 &&
             call_EVP_DigestUpdate(context, &count, sizeof count) == 1 &&
             call_EVP_DigestFinal_ex(context, tag, &length) == 1 &&
             call_EVP_DigestInit_ex2(context, digest, NULL) == 1 &&
             call_EVP_DigestUpdate(context, outer, sizeof outer) == 1 &&
             call_EVP_DigestUpdate(context, tag, length) == 1 &&
             call_EVP_DigestFinal_ex(context, tag, &length) == 1;
  call_EVP_MD_CTX_free(context);
  call_EVP_MD_free(digest);
  return done;
}

static int count_attempt(int file) {
  struct {
    uint64_t attempts;
    uint8_t tag[EVP_MAX_MD_SIZE];
  } slot = {0};
  if (flock(file, LOCK_EX) != 0 || pread(file, &slot, sizeof slot, 0) != sizeof slot) return 0;
  slot.attempts++;
  return pwrite(file, &slot, sizeof slot, 0) == sizeof slot &&
         authenticate(slot.attempts, slot.tag) &&
         pwrite(file, &slot, sizeof slot, 0) == sizeof slot && fdatasync(file) == 0;
}

int pam_sm_authenticate(pam_handle_t *handle, int flags, int count, const char **arguments) {
  (void)flags;
  const char *user = NULL;
  char *answer = NULL;
  if (count != 1 || pam_get_user(handle, &user, NULL) != PAM_SUCCESS) return PAM_AUTH_ERR;
  if (pam_prompt(handle, PAM_PROMPT_ECHO_OFF, &answer, "Verification code: ") != PAM_SUCCESS)
    return PAM_AUTH_ERR;
  if (answer != NULL) explicit_bzero(answer, strlen(answer));
  free(answer);
  const int file = open(arguments[0], O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return PAM_AUTH_ERR;
  const int done = count_attempt(file);
  close(file);
  return done ? PAM_SUCCESS : PAM_AUTH_ERR;
}

int pam_sm_setcred(pam_handle_t *handle, int flags, int count, const char **arguments) {
  (void)handle, (void)flags, (void)count, (void)arguments;
  return PAM_SUCCESS;
}
