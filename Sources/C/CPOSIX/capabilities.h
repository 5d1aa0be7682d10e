// The capabilities of this thread (capabilities(7)), through the kernel's system calls. No library
// is needed.
#pragma once

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// The bit of CAP_AUDIT_WRITE in the first word of a capability set.
enum { CPOSIX_AUDIT_WRITE = 1u << CAP_AUDIT_WRITE };

// Gives up all capabilities for good except CAP_AUDIT_WRITE, which stays permitted but not
// effective and is not passed to programs that this process starts. The kernel removes the ambient
// capabilities together with the inheritable ones. Returns 0, even if the kernel does not support
// capabilities, or -1 on failure.
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

// Makes CAP_AUDIT_WRITE effective if `borne` is not 0, and ineffective otherwise. Returns whether
// this changed anything. It changes nothing if the thread does not have the capability in its
// permitted set.
static inline int cposix_set_audit_capability(int borne) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};
  if (syscall(SYS_capget, &header, sets) != 0) return 0;
  const unsigned before = sets[0].effective;
  sets[0].effective = borne ? before | (sets[0].permitted & CPOSIX_AUDIT_WRITE)
                            : before & ~CPOSIX_AUDIT_WRITE;
  return sets[0].effective != before && syscall(SYS_capset, &header, sets) == 0;
}

// Sets whether the process keeps its permitted capabilities when it gives up root's identity
// (PR_SET_KEEPCAPS). Returns 0, or -1 on failure.
static inline int cposix_keep_capabilities(int kept) {
  return prctl(PR_SET_KEEPCAPS, kept, 0, 0, 0);
}

// Returns 1 if the file at `path` grants CAP_AUDIT_WRITE to the process that executes it, 0 if it
// does not, and -1 if this cannot be determined. The attribute begins with four bytes of version
// and flags, followed by the permitted capabilities, least significant byte first (struct
// vfs_cap_data in linux/capability.h).
static inline int cposix_may_write_audit(const char *_Nonnull path) {
  unsigned char value[64];
  const ssize_t length = lgetxattr(path, "security.capability", value, sizeof value);
  if (length < 0) return errno == ENODATA || errno == ENOTSUP ? 0 : -1;
  return length >= 8 && (value[4 + CAP_AUDIT_WRITE / 8] >> CAP_AUDIT_WRITE % 8 & 1);
}
