// A PAM module that stands in for one of a directory service, a fingerprint reader or a cache of
// passwords. What it answers is in the file /run/stand-in/NAME, where NAME is the name of the module's
// file without the ending:
//
//   success           accepts every user without a question
//   password TEXT     accepts the password TEXT
//   unavailable       the service cannot be reached (PAM_AUTHINFO_UNAVAIL)
//   unknown           the service does not know the user (PAM_USER_UNKNOWN)
//   wrong             accepts no user
//
// It understands use_first_pass and try_first_pass as pam_unix does; without them it asks. Compile with
// -DNAME='"pam_sss"'.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>

static int has(int count, const char **arguments, const char *wanted) {
  for (int index = 0; index < count; index++)
    if (strcmp(arguments[index], wanted) == 0) return 1;
  return 0;
}

static int compare(pam_handle_t *pamh, const char *expected, const char *typed) {
  (void)pamh;
  return typed != NULL && strcmp(expected, typed) == 0 ? PAM_SUCCESS : PAM_AUTH_ERR;
}

int pam_sm_authenticate(pam_handle_t *pamh, int flags, int count, const char **arguments) {
  (void)flags;
  char line[256] = "";
  FILE *file = fopen("/run/stand-in/" NAME, "r");
  if (file == NULL) return PAM_AUTHINFO_UNAVAIL;
  if (fgets(line, sizeof line, file) == NULL) line[0] = '\0';
  (void)fclose(file);
  line[strcspn(line, "\n")] = '\0';
  if (strcmp(line, "success") == 0) return PAM_SUCCESS;
  if (strcmp(line, "unavailable") == 0) return PAM_AUTHINFO_UNAVAIL;
  if (strcmp(line, "unknown") == 0) return PAM_USER_UNKNOWN;
  if (strncmp(line, "password ", 9) != 0) return PAM_AUTH_ERR;
  const char *expected = line + 9;
  const void *earlier = NULL;
  (void)pam_get_item(pamh, PAM_AUTHTOK, &earlier);
  const int mustUse = has(count, arguments, "use_first_pass");
  if (mustUse || (earlier != NULL && has(count, arguments, "try_first_pass"))) {
    const int result = compare(pamh, expected, earlier);
    if (mustUse || result == PAM_SUCCESS) return result;
  }
  char *typed = NULL;
  if (pam_prompt(pamh, PAM_PROMPT_ECHO_OFF, &typed, "Password: ") != PAM_SUCCESS)
    return PAM_AUTH_ERR;
  (void)pam_set_item(pamh, PAM_AUTHTOK, typed);
  const int result = compare(pamh, expected, typed);
  free(typed);
  return result;
}

int pam_sm_setcred(pam_handle_t *pamh, int flags, int count, const char **arguments) {
  (void)pamh, (void)flags, (void)count, (void)arguments;
  return PAM_SUCCESS;
}

int pam_sm_acct_mgmt(pam_handle_t *pamh, int flags, int count, const char **arguments) {
  (void)pamh, (void)flags, (void)count, (void)arguments;
  return PAM_SUCCESS;
}
