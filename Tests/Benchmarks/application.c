// An application that is started for one sign-in, as sudo, login and su are.
//
//   application FOLDER USER SERVICE [openssl] [memory]
//   application --first FOLDER SERVICE NUMBER
//
// The first form signs in with the current code. With `openssl` the application has initialised
// OpenSSL before, as sshd has. With `memory` it prints how much memory the process has when the modules
// have decided, in kilobytes: the resident set size (proc(5)), because the proportional one depends on
// which other processes use the same libraries. It calls getppid(2), which nothing else here calls,
// before and after the sign-in, so that a list of its system calls can be cut there.
//
// The second form signs in every user of FOLDER/users from line NUMBER (0 is the first) on with the
// previous code, so that the notices of the enrolment have been shown.
#include "login.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_memory(void) {
  char text[4096];
  int file = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
  ssize_t count = read(file, text, sizeof text - 1);
  if (count < 0) fail("read", "/proc/self/smaps_rollup");
  text[count] = '\0';
  const char *line = strstr(text, "\nRss:");
  if (line == NULL) fail("find", "Rss");
  printf("%d\n", atoi(line + 5));
  fflush(stdout);
  close(file);
}

// callgrind counts the instructions of this function and of what it calls.
__attribute__((noinline)) static int counted(const struct sign_in *options) {
  (void)getppid();
  int result = sign_in(options);
  (void)getppid();
  return result;
}

static int first(const char *folder, const char *service, int number) {
  char path[512], user[32];
  snprintf(path, sizeof path, "%s/users", folder);
  FILE *users = fopen(path, "re");
  if (users == NULL) fail("open", path);
  int count = 0;
  while (fscanf(users, "%31s", user) == 1) count++;
  compute_codes(folder, count);
  if (fseek(users, 0, SEEK_SET) != 0) fail("rewind", path);
  for (int line = 0; fscanf(users, "%31s", user) == 1; line++) {
    const struct sign_in options = {
        .folder = folder, .service = service, .user = user, .code = code_of(line, 1)};
    if (line >= number && sign_in(&options) != 0) fail("sign in", user);
  }
  fclose(users);
  return 0;
}

int main(int count, char **arguments) {
  if (count == 5 && strcmp(arguments[1], "--first") == 0)
    return first(arguments[2], arguments[3], atoi(arguments[4]));
  if (count < 4) return 64;
  int openssl = 0, memory = 0;
  for (int index = 4; index < count; index++) {
    openssl |= strcmp(arguments[index], "openssl") == 0;
    memory |= strcmp(arguments[index], "memory") == 0;
  }
  compute_codes(arguments[1], 1);
  start_application(arguments[2]);
  if (openssl && !start_openssl()) fail("start", "libcrypto");
  const struct sign_in options = {.folder = arguments[1], .service = arguments[3],
                                  .user = arguments[2], .code = code_of(0, 0),
                                  .decided = memory ? print_memory : NULL};
  return counted(&options);
}
