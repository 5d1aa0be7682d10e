#define _GNU_SOURCE

#include "examination.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/xattr.h>
#include <unistd.h>

int cposix_clock_is_synchronized(void) {
  struct timex state = {.modes = 0};
  const int answer = adjtimex(&state);
  return answer < 0 ? -1 : answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

int cposix_kill_process(int process, int milliseconds) {
  if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) != 0) return 0;
  struct pollfd end = {.fd = process, .events = POLLIN};
  return poll(&end, 1, milliseconds) > 0;
}

// The attribute begins with four bytes of version and flags, followed by the permitted
// capabilities, least significant byte first (struct vfs_cap_data in linux/capability.h).
int cposix_may_write_audit(const char *path) {
  unsigned char value[64];
  const ssize_t length = lgetxattr(path, "security.capability", value, sizeof value);
  if (length < 0) return errno == ENODATA || errno == ENOTSUP ? 0 : -1;
  return length >= 8 && (value[4 + CAP_AUDIT_WRITE / 8] >> CAP_AUDIT_WRITE % 8 & 1);
}
