// The interface between the PAM shim (pam/pam_mfa.c) and Swift (Boundary.swift in Sources/Module/Module).
//
// The shim passes PAM's data and functions that call PAM. Swift returns a verdict and keeps none of
// the pointers. Strings are NUL-terminated. They may be NULL only where marked, and none of them is
// trusted.
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

// The module's verdict for the PAM stack. Deny is zero, so that zeroed memory denies.
typedef enum MFA_CLOSED_ENUM mfa_verdict {
  // Not proven, or an error occurred.
  MFA_DENY MFA_NAMED("deny") = 0,
  // The second factor was proven, or the `account` line found that the user has a factor.
  MFA_ALLOW MFA_NAMED("allow") = 1,
  // Policy does not require a second factor from this user now.
  MFA_PASS MFA_NAMED("pass") = 2,
  // Denied, and further attempts in this connection are pointless.
  MFA_TOO_MANY_ATTEMPTS MFA_NAMED("tooManyAttempts") = 3,
  // Denied, and sshd must not ask again in this connection. Used for sshd only, if
  // MFA_TOO_MANY_ATTEMPTS would leave sshd without any method to offer.
  MFA_END_SIGN_IN MFA_NAMED("endSignIn") = 4,
  // Denied, and the password was right. Used for `account` lines with `require_code`.
  MFA_NOT_PERMITTED MFA_NAMED("notPermitted") = 5,
} mfa_verdict;

// The application's reply to a question.
typedef enum MFA_CLOSED_ENUM mfa_reply {
  // No answer: the application cannot ask, or the user hung up.
  MFA_NO_REPLY MFA_NAMED("none") = 0,
  // The complete answer.
  MFA_REPLY MFA_NAMED("text") = 1,
  // The answer is longer than any password or code may be. None of it was copied.
  MFA_REPLY_TOO_LONG MFA_NAMED("tooLong") = 2,
} mfa_reply;

// The longest answer, in bytes: PAM_MAX_RESP_SIZE.
enum { MFA_ANSWER_CAPACITY = 512 };

#pragma clang assume_nonnull begin

// The functions that call the application.
typedef struct mfa_application {
  // The first argument of each function.
  void *context;
  // Asks one question. Writes at most MFA_ANSWER_CAPACITY bytes to `answer`, and their number to
  // `count`.
  mfa_reply (*ask)(void *context, const char *prompt, int echo, uint8_t *answer, size_t *count);
  // Shows a message to the user, as information or as an error. An essential message is shown even if
  // the application asked for silence.
  void (*tell)(void *context, const char *text, int information, int essential);
  // Writes one line to the system log (authpriv). `priority` is a priority of syslog(3).
  void (*log)(void *context, int priority, const char *line);
  // Copies the text that was typed for an earlier module (PAM_AUTHTOK), in the same way as `ask`.
  mfa_reply (*earlier_answer)(void *context, uint8_t *answer, size_t *count);
  // Passes the password to the modules that follow (PAM_AUTHTOK). Returns 0 on failure.
  int (*forward)(void *context, const char *password);
  // Stores a note for the `account` line of the same PAM transaction, in place of an earlier one.
  // Returns 0 on failure.
  int (*note)(void *context, const char *text);
  // Returns the stored note, or NULL. The string lives until the next call of `note`.
  const char *_Nullable (*_Nonnull stored_note)(void *_Nonnull context);
  // Returns the authentication methods that succeeded before PAM ran, as sshd reports them
  // (SSH_AUTH_INFO_0 in PAM's environment), or NULL. The string lives as long as the PAM
  // transaction.
  const char *_Nullable (*_Nonnull earlier_methods)(void *_Nonnull context);
  // Whether messages that are not essential are shown: 0 if the application asked for silence
  // (PAM_SILENT).
  int is_listening;
} mfa_application;

// A sign-in as described by PAM.
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

// A line of a service file that calls the module.
typedef enum MFA_CLOSED_ENUM mfa_line {
  MFA_AUTH MFA_NAMED("auth") = 1,
  MFA_ACCOUNT MFA_NAMED("account") = 2,
  // The beginning of a session. The verdict has no meaning.
  MFA_SESSION MFA_NAMED("session") = 3,
} mfa_line;

// Carries out a line, and returns its verdict.
mfa_verdict mfa_decide(
    mfa_line line, const mfa_request *request, const mfa_application *application);

#pragma clang assume_nonnull end
