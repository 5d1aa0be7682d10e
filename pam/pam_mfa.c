// The PAM module: glue between libpam and the Swift library behind mfa.h. It copies values, asks
// questions, wipes memory and maps results. All decisions are made in Swift.
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>

#include "mfa.h"

// The context of the functions that Swift calls.
struct application {
  pam_handle_t *pam;
  int flags;
};

// Sends one message through the application's conversation. The caller frees `*response`.
static int converse(
    const struct application *application, int style, const char *text,
    struct pam_response **response) {
  const void *item = NULL;
  *response = NULL;
  if (pam_get_item(application->pam, PAM_CONV, &item) != PAM_SUCCESS || item == NULL)
    return PAM_CONV_ERR;
  const struct pam_conv *conversation = item;
  if (conversation->conv == NULL) return PAM_CONV_ERR;
  const struct pam_message message = {.msg_style = style, .msg = text};
  const struct pam_message *messages = &message;
  return conversation->conv(1, &messages, response, conversation->appdata_ptr);
}

// Copies an answer, unless it is too long.
static mfa_reply copy_answer(const char *text, uint8_t *answer, size_t *count) {
  const size_t length = strnlen(text, MFA_ANSWER_CAPACITY + 1);
  if (length > MFA_ANSWER_CAPACITY) return MFA_REPLY_TOO_LONG;
  memcpy(answer, text, length);
  *count = length;
  return MFA_REPLY;
}

static mfa_reply ask(void *context, const char *prompt, int echo, uint8_t *answer, size_t *count) {
  struct pam_response *response = NULL;
  const int style = echo ? PAM_PROMPT_ECHO_ON : PAM_PROMPT_ECHO_OFF;
  const int status = converse(context, style, prompt, &response);
  // The response of a failed conversation is undefined and must not be read.
  if (status != PAM_SUCCESS || response == NULL) return MFA_NO_REPLY;
  mfa_reply reply = MFA_NO_REPLY;
  if (response->resp != NULL) {
    reply = copy_answer(response->resp, answer, count);
    explicit_bzero(response->resp, strlen(response->resp));
    free(response->resp);
  }
  free(response);
  return reply;
}

// sudo asks every module for silence (PAM_SILENT), but a user who has to wait must be told.
static void tell(void *context, const char *text, int information, int essential) {
  const struct application *application = context;
  if ((application->flags & PAM_SILENT) && !essential) return;
  struct pam_response *response = NULL;
  // A message that could not be shown changes nothing.
  const int style = information ? PAM_TEXT_INFO : PAM_ERROR_MSG;
  if (converse(application, style, text, &response) != PAM_SUCCESS) return;
  if (response == NULL) return;
  free(response->resp);
  free(response);
}

static void write_log(void *context, int priority, const char *line) {
  const struct application *application = context;
  pam_syslog(application->pam, priority, "%s", line);
}

static mfa_reply earlier_answer(void *context, uint8_t *answer, size_t *count) {
  const struct application *application = context;
  const void *item = NULL;
  if (pam_get_item(application->pam, PAM_AUTHTOK, &item) != PAM_SUCCESS || item == NULL)
    return MFA_NO_REPLY;
  return copy_answer(item, answer, count);
}

static int forward(void *context, const char *password) {
  const struct application *application = context;
  return pam_set_item(application->pam, PAM_AUTHTOK, password) == PAM_SUCCESS;
}

// The note from `auth` to `account` in the same transaction. The application cannot set it, and it
// is deleted at the end of the transaction.
static const char note_name[] = "mfa-note";

static void free_note(pam_handle_t *pam, void *text, int status) {
  (void)pam, (void)status;
  free(text);
}

static int note(void *context, const char *text) {
  const struct application *application = context;
  char *copy = strdup(text);
  if (copy == NULL) return 0;
  if (pam_set_data(application->pam, note_name, copy, free_note) == PAM_SUCCESS) return 1;
  free(copy);
  return 0;
}

static const char *stored_note(void *context) {
  const struct application *application = context;
  const void *noted = NULL;
  return pam_get_data(application->pam, note_name, &noted) == PAM_SUCCESS ? noted : NULL;
}

static const char *earlier_methods(void *context) {
  const struct application *application = context;
  return pam_getenv(application->pam, "SSH_AUTH_INFO_0");
}

// Returns a text item, or NULL.
static const char *text_item(pam_handle_t *pam, int type) {
  const void *item = NULL;
  return pam_get_item(pam, type, &item) == PAM_SUCCESS ? item : NULL;
}

// Converts a verdict to a PAM result. No other function does this.
static int pam_result(mfa_verdict verdict) {
  switch (verdict) {
    case MFA_ALLOW: return PAM_SUCCESS;
    case MFA_PASS: return PAM_IGNORE;
    case MFA_TOO_MANY_ATTEMPTS: return PAM_MAXTRIES;
    // sshd does not start PAM again in this connection (auth-pam.c).
    case MFA_END_SIGN_IN: return PAM_ACCT_EXPIRED;
    // Samba replies to its client as after a wrong password to PAM_AUTH_ERR, and to this that access is denied.
    case MFA_NOT_PERMITTED: return PAM_PERM_DENIED;
    case MFA_DENY: break;
  }
  return PAM_AUTH_ERR;
}

// Not inlined into its callers, to keep the module small: it is loaded at each sign-in.
__attribute__((noinline)) static mfa_verdict consult(
    mfa_line line, pam_handle_t *pam, int flags, int argc, const char **argv) {
  const char *user = NULL;
  if (pam_get_user(pam, &user, NULL) != PAM_SUCCESS) return MFA_DENY;
  struct application application = {.pam = pam, .flags = flags};
  const mfa_application calls = {
      .context = &application,
      .ask = ask,
      .tell = tell,
      .log = write_log,
      .earlier_answer = earlier_answer,
      .forward = forward,
      .note = note,
      .stored_note = stored_note,
      .earlier_methods = earlier_methods,
      .is_listening = (flags & PAM_SILENT) == 0,
  };
  const mfa_request request = {
      .user = user,
      .service = text_item(pam, PAM_SERVICE),
      .remote_host = text_item(pam, PAM_RHOST),
      .terminal = text_item(pam, PAM_TTY),
      .arguments = argv,
      .argument_count = argc,
  };
  return mfa_decide(line, &request, &calls);
}

// The delay after a denial, in microseconds. It equals the delay of pam_unix, which may come before
// or after this module, so that the delay does not reveal which module denied. libpam waits once,
// for the longest delay that a module requests.
enum { FAIL_DELAY = 2000000 };

int pam_sm_authenticate(pam_handle_t *pam, int flags, int argc, const char **argv) {
  // If libpam does not support delays, a denial takes effect at once.
  (void)pam_fail_delay(pam, FAIL_DELAY);
  return pam_result(consult(MFA_AUTH, pam, flags, argc, argv));
}

int pam_sm_acct_mgmt(pam_handle_t *pam, int flags, int argc, const char **argv) {
  return pam_result(consult(MFA_ACCOUNT, pam, flags, argc, argv));
}

// The module sets no credentials. It must not fail a sign-in here that `auth` has allowed.
int pam_sm_setcred(pam_handle_t *pam, int flags, int argc, const char **argv) {
  (void)pam, (void)flags, (void)argc, (void)argv;
  return pam_result(MFA_ALLOW);
}

// The session line never decides about a session.
int pam_sm_open_session(pam_handle_t *pam, int flags, int argc, const char **argv) {
  (void)consult(MFA_SESSION, pam, flags, argc, argv);
  return pam_result(MFA_PASS);
}

int pam_sm_close_session(pam_handle_t *pam, int flags, int argc, const char **argv) {
  (void)pam, (void)flags, (void)argc, (void)argv;
  return pam_result(MFA_PASS);
}
