// The one contract between the PAM shim (pam/pam_mfa.c) and Swift (Sources/SignIn/Boundary.swift).
//
// The shim hands over what PAM knows and the calls back into PAM; Swift answers with a verdict.
// Swift keeps no pointer after it returns. Strings are NUL-terminated and may be absent only where
// marked; none of them is trusted.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define MFA_CLOSED_ENUM __attribute__((enum_extensibility(closed)))
#define MFA_NAMED(name) __attribute__((swift_name(name)))
#else
#define MFA_CLOSED_ENUM
#define MFA_NAMED(name)
#endif

// What the module tells the PAM stack. Deny is zero: memory that nobody wrote denies.
typedef enum MFA_CLOSED_ENUM mfa_verdict {
  // Not proven, or anything went wrong.
  MFA_DENY MFA_NAMED("deny") = 0,
  // The second factor was proven.
  MFA_ALLOW MFA_NAMED("allow") = 1,
  // Policy asks no second factor of this person now.
  MFA_NOT_CONCERNED MFA_NAMED("notConcerned") = 2,
  // Denied, and asking again in this connection is pointless.
  MFA_TOO_MANY_ATTEMPTS MFA_NAMED("tooManyAttempts") = 3,
} mfa_verdict;

// How the application answered a question.
typedef enum MFA_CLOSED_ENUM mfa_reply {
  // No answer: the application cannot ask, or the person hung up.
  MFA_NO_REPLY MFA_NAMED("none") = 0,
  // An answer, whole.
  MFA_REPLY MFA_NAMED("text") = 1,
  // An answer longer than any password or code may be; nothing of it was handed over.
  MFA_REPLY_TOO_LONG MFA_NAMED("tooLong") = 2,
} mfa_reply;

// The longest answer, in bytes: PAM_MAX_RESP_SIZE.
enum { MFA_ANSWER_CAPACITY = 512 };

#pragma clang assume_nonnull begin

// The calls back into the application.
typedef struct mfa_application {
  // Handed to each call as its first argument.
  void *context;
  // Asks one question. Writes at most MFA_ANSWER_CAPACITY bytes to `answer`, their number to
  // `count`.
  mfa_reply (*ask)(void *context, const char *prompt, int echo, uint8_t *answer, size_t *count);
  // Tells the person something; what they cannot do without also where the application would rather
  // have silence.
  void (*tell)(void *context, const char *text, int essential);
  // Writes one line to the system log (authpriv). `priority` is syslog's.
  void (*log)(void *context, int priority, const char *line);
  // The answer that an earlier module was given (PAM_AUTHTOK), as `ask` hands answers over.
  mfa_reply (*earlier_answer)(void *context, uint8_t *answer, size_t *count);
  // Hands the password to the modules that follow (PAM_AUTHTOK). Returns 0 when that failed.
  int (*forward)(void *context, const char *password);
  // Notes a text for the `account` line of the same PAM transaction, in the place of an earlier one.
  // Returns 0 when that failed.
  int (*note)(void *context, const char *text);
  // Whether that text was noted: 0 when it was not.
  int (*is_noted)(void *context, const char *text);
  // How the person has proven who they are before PAM was asked, as sshd says it (SSH_AUTH_INFO_0 of
  // PAM's environment); NULL where it says nothing. It lives as long as the PAM transaction.
  const char *_Nullable (*_Nonnull earlier_methods)(void *_Nonnull context);
  // Whether the person sees what is told though it is not essential: not 0 unless the application
  // asked for silence.
  int is_listening;
} mfa_application;

// One sign-in, as PAM describes it.
typedef struct mfa_request {
  // PAM_USER
  const char *_Nullable user;
  // PAM_SERVICE
  const char *_Nullable service;
  // PAM_RHOST
  const char *_Nullable remote_host;
  // PAM_TTY
  const char *_Nullable terminal;
  // The module's arguments in the service file.
  const char *_Nonnull const *_Nonnull arguments;
  int argument_count;
} mfa_request;

// The `auth` line: asks for a code where policy demands one, and checks it.
mfa_verdict mfa_sign_in(const mfa_request *request, const mfa_application *application);

// The `account` line: whether this account may go on without `auth` having asked. Has people enrol
// where they must, and nothing is enrolled.
mfa_verdict mfa_account(const mfa_request *request, const mfa_application *application);

#pragma clang assume_nonnull end
