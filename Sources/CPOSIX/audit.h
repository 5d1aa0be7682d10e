// The kernel's audit trail, by way of libaudit where the host has it: most hosts' libpam has loaded it
// already. Nothing is linked.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capabilities.h"

// Types of records, as linux/audit.h numbers them.
enum { CPOSIX_AUDIT_USER_AUTH = 1100, CPOSIX_AUDIT_USER_MGMT = 1102 };

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
  void *library = dlopen("libaudit.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == NULL) library = dlopen("libaudit.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) {
    int (*open_trail)(void) = (int (*)(void))dlsym(library, "audit_open");
    int (*write_record)(
        int, int, const char *, const char *, const char *, unsigned, const char *, const char *,
        const char *, int) =
        (int (*)(
            int, int, const char *, const char *, const char *, unsigned, const char *,
            const char *, const char *, int))dlsym(library, "audit_log_acct_message");
    const int trail = open_trail != NULL && write_record != NULL ? open_trail() : -1;
    if (trail >= 0) {
      (void)write_record(
          trail, type, NULL, texts, account, (unsigned)-1, NULL, address, terminal, succeeded);
      (void)close(trail);
    }
    (void)dlclose(library);
  }
  if (borne) (void)cposix_bear_audit(0);
  errno = error;
}
