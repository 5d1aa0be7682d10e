// What Swift may call of the operating system: headers, and inline spellings of what Swift cannot
// import (variadic functions, macros with arguments). No state.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static inline int cposix_errno(void) { return errno; }
static inline int cposix_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}
