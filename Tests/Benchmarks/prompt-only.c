// A PAM module that asks for a code and accepts any code: the cost of the prompt alone. Used only
// as the benchmark's baseline; `run` builds it into a separate folder.
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <stdlib.h>
#include <string.h>

int pam_sm_authenticate(pam_handle_t *handle, int flags, int count, const char **arguments) {
  (void)flags, (void)count, (void)arguments;
  const char *user = NULL;
  char *answer = NULL;
  if (pam_get_user(handle, &user, NULL) != PAM_SUCCESS) return PAM_AUTH_ERR;
  int result = pam_prompt(handle, PAM_PROMPT_ECHO_OFF, &answer, "Verification code: ");
  if (answer != NULL) explicit_bzero(answer, strlen(answer));
  free(answer);
  return result;
}

int pam_sm_setcred(pam_handle_t *handle, int flags, int count, const char **arguments) {
  (void)handle, (void)flags, (void)count, (void)arguments;
  return PAM_SUCCESS;
}
