// For RTLD_DEFAULT.
#define _GNU_SOURCE
#include "audit.h"

#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>

typedef int open_function(void);
typedef int account_function(
    int, int, const char *, const char *, const char *, unsigned, const char *, const char *,
    const char *, int);
typedef int message_function(
    int, int, const char *, const char *, const char *, const char *, int);

// An open audit trail.
struct trail {
  // libaudit, if it had to be loaded.
  void *library;
  // The function that writes a record.
  void *function;
  int descriptor;
};

// Looks up libaudit's function `name`, and opens a descriptor of the audit trail. Loads libaudit if the
// application has not loaded it with libpam. Returns 1, or 0 if this is not possible. In either case
// `close_trail` must be called.
static int open_trail(struct trail *trail, const char *name) {
  trail->descriptor = -1;
  trail->library = NULL;
  void *from = RTLD_DEFAULT;
  open_function *open = (open_function *)dlsym(from, "audit_open");
  if (open == NULL) {
    from = trail->library = dlopen("libaudit.so.1", RTLD_NOW | RTLD_LOCAL);
    if (from == NULL) return 0;
    open = (open_function *)dlsym(from, "audit_open");
  }
  trail->function = dlsym(from, name);
  if (open != NULL && trail->function != NULL) trail->descriptor = open();
  return trail->descriptor >= 0;
}

static void close_trail(const struct trail *trail) {
  if (trail->descriptor >= 0) (void)close(trail->descriptor);
  if (trail->library != NULL) (void)dlclose(trail->library);
}

void cposix_audit_account(
    int type, const char *operation, const char *account, const char *address,
    const char *terminal, int succeeded) {
  struct trail trail;
  if (open_trail(&trail, "audit_log_acct_message"))
    (void)((account_function *)trail.function)(
        trail.descriptor, type, NULL, operation, account, (unsigned)-1, NULL, address, terminal,
        succeeded);
  close_trail(&trail);
}

void cposix_audit_system(int type, const char *message, const char *terminal) {
  struct trail trail;
  if (open_trail(&trail, "audit_log_user_message"))
    (void)((message_function *)trail.function)(
        trail.descriptor, type, message, NULL, "?", terminal, 1);
  close_trail(&trail);
}
