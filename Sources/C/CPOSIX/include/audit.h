// The kernel's audit trail, written through libaudit if the host has it. On most hosts libpam has
// already loaded libaudit. The module is not linked with it.
#pragma once

// Types of audit records, with the numbers of linux/audit.h.
enum {
  CPOSIX_AUDIT_USER_AUTH = 1100,
  CPOSIX_AUDIT_USER_MGMT = 1102,
  CPOSIX_AUDIT_USYS_CONFIG = 1111,
};

// Writes a record about an account. Without libaudit, and without audit support in the kernel, the
// call does nothing. An unknown address must be "?", because libaudit would look up a missing one.
void cposix_audit_account(
    int type, const char *_Nonnull operation, const char *_Nonnull account,
    const char *_Nonnull address, const char *_Nonnull terminal, int succeeded);

// Writes a record that is not about an account.
void cposix_audit_system(int type, const char *_Nonnull message, const char *_Nonnull terminal);
