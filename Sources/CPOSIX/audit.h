// The kernel's audit trail, by way of libaudit where the host has it: most hosts' libpam has loaded it
// already. Nothing is linked.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capabilities.h"

// Types of records, as linux/audit.h numbers them.
enum {
  CPOSIX_AUDIT_USER_AUTH = 1100,
  CPOSIX_AUDIT_USER_MGMT = 1102,
  CPOSIX_AUDIT_USYS_CONFIG = 1111,
};

// libaudit, its function `name`, and a descriptor of the trail, -1 where there is none. What `library`
// is given is closed, and the descriptor, by whom it was opened for.
static inline int cposix_open_audit(
    const char *_Nonnull name, void *_Nullable *_Nonnull library, void *_Nullable *_Nonnull function) {
  *library = dlopen("libaudit.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (*library == NULL) *library = dlopen("libaudit.so.1", RTLD_NOW | RTLD_LOCAL);
  if (*library == NULL) return -1;
  int (*open_trail)(void) = (int (*)(void))dlsym(*library, "audit_open");
  *function = dlsym(*library, name);
  return open_trail != NULL && *function != NULL ? open_trail() : -1;
}

// Writes a record. Only root's processes may, and others that may have the capability and do not have
// it in effect: it is, for as long as this takes. Everywhere else, without libaudit, and where the kernel
// has no audit, this does nothing. `texts` are the operation, the account, the address and the
// terminal, each with its NUL; an address that is missing would be looked up: it is "?" where none is
// known.
static inline void cposix_audit(int type, const char *_Nonnull texts, int succeeded) {
  const int error = errno;
  const int borne = geteuid() != 0 ? cposix_bear_audit(1) : 0;
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
  if (borne) (void)cposix_bear_audit(0);
  errno = error;
}

// Writes a record that is about no account, where the process is root's. `texts` are what happened and
// the terminal, each with its NUL.
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
