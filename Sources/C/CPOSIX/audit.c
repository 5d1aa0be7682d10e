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
  void *library;
  // The function that writes a record.
  void *function;
  int descriptor;
};

// Loads libaudit, looks up its function `name`, and opens a descriptor of the audit trail. Returns
// 1, or 0 if this is not possible. In either case `close_trail` must be called.
static int open_trail(struct trail *trail, const char *name) {
  trail->descriptor = -1;
  trail->library = dlopen("libaudit.so.1", RTLD_NOW | RTLD_LOCAL);
  if (trail->library == NULL) return 0;
  open_function *const open = (open_function *)dlsym(trail->library, "audit_open");
  trail->function = dlsym(trail->library, name);
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
