// The capabilities of this thread (capabilities(7)), by the kernel's own calls: nothing is linked.
#pragma once

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// That which writes to the kernel's audit trail: its word, and its bit there.
enum { CPOSIX_AUDIT_WRITE = 1u << CAP_AUDIT_WRITE };

// Gives every capability up for good but the one to write to the audit trail, and that one is held
// back: permitted, not in effect, and nothing that is started has it. The kernel takes the ambient ones
// away with the inheritable ones. 0, also where the kernel has no capabilities; else -1.
static inline int cposix_reduce_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
  if (syscall(SYS_capget, &header, sets) != 0) return errno == ENOSYS ? 0 : -1;
  for (int word = 0; word < _LINUX_CAPABILITY_U32S_3; word++) {
    sets[word].permitted &= word == 0 ? CPOSIX_AUDIT_WRITE : 0;
    sets[word].effective = sets[word].inheritable = 0;
  }
  return (int)syscall(SYS_capset, &header, sets);
}

// Puts the capability to write to the audit trail in effect, or no longer. Returns whether that has
// changed anything: it does where the thread may have it, and does not have it yet.
static inline int cposix_bear_audit(int borne) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
  if (syscall(SYS_capget, &header, sets) != 0) return 0;
  const unsigned before = sets[0].effective;
  sets[0].effective = borne ? before | (sets[0].permitted & CPOSIX_AUDIT_WRITE)
                            : before & ~CPOSIX_AUDIT_WRITE;
  return sets[0].effective != before && syscall(SYS_capset, &header, sets) == 0;
}

// Whether a process that gives root's identity up keeps what it may have: 0, or -1.
static inline int cposix_keep_capabilities(int kept) {
  return prctl(PR_SET_KEEPCAPS, kept, 0, 0, 0);
}

// Whether the file at `path` gives the capability to write to the audit trail to who runs it: 1 or 0,
// -1 where that cannot be found out. The number of the file's version comes first, then the permitted
// ones, least significant byte first (struct vfs_cap_data in linux/capability.h).
static inline int cposix_may_write_audit(const char *_Nonnull path) {
  unsigned char value[64];
  const ssize_t length = lgetxattr(path, "security.capability", value, sizeof value);
  if (length < 0) return errno == ENODATA || errno == ENOTSUP ? 0 : -1;
  return length >= 8 && (value[4 + CAP_AUDIT_WRITE / 8] >> CAP_AUDIT_WRITE % 8 & 1);
}
