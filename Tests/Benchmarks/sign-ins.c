// Signs in users through a PAM service, some of them at the same time.
//
//   sign-ins FOLDER SERVICE STEP WORKERS
//
// Each user of FOLDER/users signs in once, in a process of its own, with the code of the time step that is
// STEP steps after the present one; STEP can be negative. An accepted code makes those of earlier steps
// invalid, so one run after the other must use a later one. Prints the number of accepted sign-ins, the
// seconds from the first to the last, and the median and the 99th percentile of the microseconds from fork to
// exit. See login.h for FOLDER.
#include "login.h"

#include <security/pam_appl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_users = 4000 };

static struct {
  atomic_int next;
  double microseconds[most_users];  // of each accepted sign-in, or 0
} *shared;

static char users[most_users][32];
static int user_count;

static void read_users(const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/users", folder);
  FILE *names = fopen(path, "re");
  if (names == NULL) fail("open", path);
  while (user_count < most_users && fscanf(names, "%31s", users[user_count]) == 1) user_count++;
  fclose(names);
}

static void work(const char *folder, const char *service, int step) {
  for (int user; (user = shared->next++) < user_count;) {
    double begin = now();
    pid_t child = fork();
    if (child == 0) {
      const struct sign_in options = {.folder = folder, .service = service, .user = users[user],
                                      .code = code_of(user, -step)};
      _exit(sign_in(&options));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) fail("wait for", users[user]);
    if (status == PAM_SUCCESS) shared->microseconds[user] = now() - begin;
  }
  _exit(0);
}

int main(int count, char **arguments) {
  if (count != 5 || atoi(arguments[4]) < 1) {
    fprintf(stderr, "usage: sign-ins FOLDER SERVICE STEP WORKERS\n");
    return 64;
  }
  read_users(arguments[1]);
  compute_codes(arguments[1], user_count);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("mmap", "shared");
  start_application(users[0]);
  if (!start_openssl()) fail("start", "libcrypto");
  double begin = now();
  for (int worker = 0; worker < atoi(arguments[4]); worker++) {
    pid_t child = fork();
    if (child < 0) fail("fork", "worker");
    if (child == 0) work(arguments[1], arguments[2], atoi(arguments[3]));
  }
  int status;
  while (wait(&status) > 0)
    if (status != 0) return 2;
  double seconds = (now() - begin) / 1e6;
  double samples[most_users];
  int accepted = 0;
  for (int user = 0; user < user_count; user++)
    if (shared->microseconds[user] > 0) samples[accepted++] = shared->microseconds[user];
  if (accepted == 0) {
    fprintf(stderr, "sign-ins: error: %s: no user was let in\n", arguments[2]);
    return 1;
  }
  printf("%d %.3f %.0f %.0f\n", accepted, seconds, percentile(samples, accepted, 0.5),
         percentile(samples, accepted, 0.99));
  return 0;
}
