// The functions of libpam for an application, as called from Swift: one authentication, with PAM's
// conversation split into single questions.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <security/pam_appl.h>

#pragma clang assume_nonnull begin

// The longest answer, in bytes, without its NUL.
enum { CPAM_ANSWER_CAPACITY = PAM_MAX_RESP_SIZE - 1 };

// The functions that call Swift.
typedef struct cpam_person {
  void *context;
  // Asks one question. Writes at most CPAM_ANSWER_CAPACITY bytes to `answer`, and returns their
  // number, or -1 if there is no answer.
  int (*ask)(void *context, const char *prompt, int echo, uint8_t *answer);
  // Shows a message to the user.
  void (*tell)(void *context, const char *text);
} cpam_person;

// Wipes and frees answers.
static inline void cpam_discard(struct pam_response *_Nullable responses, int count) {
  if (responses == NULL) return;
  for (int index = 0; index < count; index++) {
    if (responses[index].resp == NULL) continue;
    explicit_bzero(responses[index].resp, strlen(responses[index].resp));
    free(responses[index].resp);
  }
  free(responses);
}

// Asks one question and copies the answer to memory from malloc. Returns 0 if there is no answer.
static inline int cpam_question(
    const cpam_person *person, const char *prompt, int echo, struct pam_response *response) {
  char *answer = calloc(1, PAM_MAX_RESP_SIZE);
  if (answer == NULL) return 0;
  const int count = person->ask(person->context, prompt, echo, (uint8_t *)answer);
  // libpam would silently truncate an answer that contains a NUL.
  if (count < 0 || count > CPAM_ANSWER_CAPACITY || memchr(answer, 0, (size_t)count) != NULL) {
    explicit_bzero(answer, PAM_MAX_RESP_SIZE);
    free(answer);
    return 0;
  }
  response->resp = answer;
  return 1;
}

// PAM's conversation function.
static inline int cpam_converse(
    int count, const struct pam_message *_Nullable *_Nonnull messages,
    struct pam_response *_Nullable *_Nonnull answers, void *_Nullable context) {
  const cpam_person *person = context;
  if (person == NULL || count <= 0 || count > PAM_MAX_NUM_MSG) return PAM_CONV_ERR;
  struct pam_response *responses = calloc((size_t)count, sizeof *responses);
  if (responses == NULL) return PAM_BUF_ERR;
  for (int index = 0; index < count; index++) {
    const struct pam_message *message = messages[index];
    const char *text = message == NULL || message->msg == NULL ? "" : message->msg;
    const int style = message == NULL ? 0 : message->msg_style;
    int done = 0;
    if (style == PAM_PROMPT_ECHO_OFF || style == PAM_PROMPT_ECHO_ON) {
      done = cpam_question(person, text, style == PAM_PROMPT_ECHO_ON, &responses[index]);
    } else if (style == PAM_TEXT_INFO || style == PAM_ERROR_MSG) {
      person->tell(person->context, text);
      done = 1;
    }
    if (!done) {
      cpam_discard(responses, count);
      return PAM_CONV_ERR;
    }
  }
  *answers = responses;
  return PAM_SUCCESS;
}

// Authenticates `user` under `service` and checks the account. Returns 1 if both succeeded and PAM
// has not changed the user, else 0.
static inline int cpam_prove(const char *service, const char *user, const cpam_person *person) {
  pam_handle_t *handle = NULL;
  const struct pam_conv conversation = {.conv = cpam_converse, .appdata_ptr = (void *)person};
  if (pam_start(service, user, &conversation, &handle) != PAM_SUCCESS || handle == NULL) return 0;
  int status = pam_authenticate(handle, PAM_DISALLOW_NULL_AUTHTOK);
  if (status == PAM_SUCCESS) status = pam_acct_mgmt(handle, 0);
  const void *proven = NULL;
  const int same = status == PAM_SUCCESS &&
                   pam_get_item(handle, PAM_USER, &proven) == PAM_SUCCESS && proven != NULL &&
                   strcmp(proven, user) == 0;
  (void)pam_end(handle, status);
  return same;
}

#pragma clang assume_nonnull end
