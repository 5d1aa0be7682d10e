// The kernel's audit trail, written through libaudit if the host has it. On most hosts libpam has
// already loaded libaudit. The module is not linked with it.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capabilities.h"

// Types of audit records, with the numbers of linux/audit.h.
enum {
  CPOSIX_AUDIT_USER_AUTH = 1100,
  CPOSIX_AUDIT_USER_MGMT = 1102,
  CPOSIX_AUDIT_USYS_CONFIG = 1111,
};

// Loads libaudit, looks up its function `name`, and opens a descriptor of the audit trail. Returns
// the descriptor, or -1. The caller closes the descriptor, and `library` if it is not NULL.
static inline int cposix_open_audit(
    const char *_Nonnull name, void *_Nullable *_Nonnull library, void *_Nullable *_Nonnull function) {
  *library = dlopen("libaudit.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (*library == NULL) *library = dlopen("libaudit.so.1", RTLD_NOW | RTLD_LOCAL);
  if (*library == NULL) return -1;
  int (*open_trail)(void) = (int (*)(void))dlsym(*library, "audit_open");
  *function = dlsym(*library, name);
  return open_trail != NULL && *function != NULL ? open_trail() : -1;
}

// Writes a record about an account. The process must belong to root or have CAP_AUDIT_WRITE among
// its permitted capabilities, which is made effective only during this call. In any other process,
// without libaudit, and without audit support in the kernel, the call does nothing.
//
// `texts` holds the operation, the account, the address and the terminal, each followed by a NUL.
// An unknown address must be "?", because libaudit would look up a missing one.
static inline void cposix_audit(int type, const char *_Nonnull texts, int succeeded) {
  const int error = errno;
  const int borne = geteuid() != 0 ? cposix_set_audit_capability(1) : 0;
  if (geteuid() != 0 && !borne) {
    errno = error;
    return;
  }
  const char *account = texts + strlen(texts) + 1;
  const char *address = account + strlen(account) + 1;
  const char *terminal = address + strlen(address) + 1;
  void *library = NULL, *function = NULL;
  const int trail = cposix_open_audit("audit_log_acct_message", &library, &function);
  if (trail >= 0) {
    int (*write_record)(
        int, int, const char *, const char *, const char *, unsigned, const char *, const char *,
        const char *, int) =
        (int (*)(
            int, int, const char *, const char *, const char *, unsigned, const char *,
            const char *, const char *, int))function;
    (void)write_record(
        trail, type, NULL, texts, account, (unsigned)-1, NULL, address, terminal, succeeded);
    (void)close(trail);
  }
  if (library != NULL) (void)dlclose(library);
  if (borne) (void)cposix_set_audit_capability(0);
  errno = error;
}

// Writes a record that is not about an account, if the process belongs to root. `texts` holds what
// happened and the terminal, each followed by a NUL.
static inline void cposix_audit_system(int type, const char *_Nonnull texts) {
  if (geteuid() != 0) return;
  void *library = NULL, *function = NULL;
  const int trail = cposix_open_audit("audit_log_user_message", &library, &function);
  if (trail >= 0) {
    int (*write_record)(
        int, int, const char *, const char *, const char *, const char *, int) =
        (int (*)(
            int, int, const char *, const char *, const char *, const char *, int))function;
    (void)write_record(trail, type, texts, NULL, "?", texts + strlen(texts) + 1, 1);
    (void)close(trail);
  }
  if (library != NULL) (void)dlclose(library);
}
