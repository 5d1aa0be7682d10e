// Measures what a second factor adds to one login, from fork to exit, for each stack.
//
// A host process stands for the PAM application. It forks a child, which answers one PAM
// conversation with a correct code and exits, and measures the time from fork to waitpid. Some
// hosts have initialised OpenSSL, as sshd has; others have never opened libcrypto. Some use a store
// with one enrolled user, others a store with up to 1,000,000 users. All stacks alternate within
// one run, in every host, so that drift of the machine affects all of them alike. Between two
// logins, outside the measured interval, the stack's state files are restored and synced.
//
//   login-benchmark FOLDER USER ITERATIONS       measures logins
//   login-benchmark --populate FOLDER USER MOST  creates store-1000 to store-MOST from store-1
//
// `run` prepares FOLDER (see login.h; FOLDER/store-N is /var/lib/mfa with N enrolled users) and
// starts this program in a private machine, because it binds /dev/log and mounts over /var/lib/mfa.
#include "login.h"

#include <fcntl.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct stack {
  const char *name;
  const char *service;   // the file in FOLDER/services; if it is missing, the row is left out
  const char *state[2];  // files in FOLDER that a login changes; %s is the user name
  int store;             // the index in `stores` of the store mounted as /var/lib/mfa
  int every;             // the row takes part in every nth iteration
  int resident;          // whether the resident service runs; if not, mfa-helper decides
  int is_wrong;          // whether the code is wrong, and the sign-in denied
};

enum { one_user, thousand_users, many_users, million_users, host_disk, store_count };

// Rows whose store is missing are left out. The last store is on the file system that holds the
// checkout, if that is not the measured one.
static const struct {
  const char *folder;
  int users;
} stores[store_count] = {
    {"store-1", 1},
    {"store-1000", 1000},
    {"store-100000", 100000},
    {"store-1000000", 1000000},
    {"host/store-1", 1}};

static const struct stack stacks[] = {
    // This stack changes no file. One is restored anyway, so that the same pause precedes each row:
    // without the pause, this row alone would pay for the kernel's deferred work.
    {"prompt only", "prompt", {"services/prompt"}, one_user, 1, 0, 0},
    {"google-authenticator", "google", {"home/.google_authenticator"}, one_user, 1, 0, 0},
    {"google-auth., wrong code", "google", {"home/.google_authenticator"}, one_user, 1, 0, 1},
    {"least", "least", {"least"}, one_user, 1, 0, 0},
    {"pam_oath, own file", "oath-own", {"home/.oath"}, one_user, 1, 0, 0},
    {"pam_oath, 100,000 users", "oath-many", {"oath-many"}, one_user, 20, 0, 0},
    {"mfad, 1 user", "mfa", {"store-1/factors/%s", "store-1/attempts/%s"}, one_user, 1, 1, 0},
    {"mfad, 1,000 users", "mfa",
     {"store-1000/factors/%s", "store-1000/attempts/%s"}, thousand_users, 1, 1, 0},
    {"mfad, 100,000 users", "mfa",
     {"store-100000/factors/%s", "store-100000/attempts/%s"}, many_users, 1, 1, 0},
    {"mfad, 1,000,000 users", "mfa",
     {"store-1000000/factors/%s", "store-1000000/attempts/%s"}, million_users, 1, 1, 0},
    {"mfad, host's own disk", "mfa",
     {"host/store-1/factors/%s", "host/store-1/attempts/%s"}, host_disk, 1, 1, 0},
    {"mfa-helper, 1 user", "mfa", {"store-1/factors/%s", "store-1/attempts/%s"}, one_user, 1, 0, 0},
    {"mfa-helper, 1,000 users", "mfa",
     {"store-1000/factors/%s", "store-1000/attempts/%s"}, thousand_users, 1, 0, 0},
    {"mfa-helper, 100,000 users", "mfa",
     {"store-100000/factors/%s", "store-100000/attempts/%s"}, many_users, 1, 0, 0},
    {"mfa-helper, 1,000,000 users", "mfa",
     {"store-1000000/factors/%s", "store-1000000/attempts/%s"}, million_users, 1, 0, 0},
    {"mfa-helper, host's own disk", "mfa",
     {"host/store-1/factors/%s", "host/store-1/attempts/%s"}, host_disk, 1, 0, 0},
    {"mfad, wrong code", "mfa-once", {"store-1/factors/%s", "store-1/attempts/%s"}, one_user, 1, 1, 1},
    {"mfa-helper, wrong code", "mfa-once",
     {"store-1/factors/%s", "store-1/attempts/%s"}, one_user, 1, 0, 1},
};
// The stacks to compare with: for a correct code and for a wrong code.
enum { google = 1, google_wrong = 2, stack_count = sizeof stacks / sizeof stacks[0] };

enum { host_kinds = 2, warming = 20 };

static const char *folder, *user;

// --- State files of the stacks ---

static struct file files[stack_count][2];

static void read_state(struct file *file, const char *pattern) {
  char name[256], path[512];
  snprintf(name, sizeof name, pattern, user);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  read_file(file, path);
}

// Makes a file of `name` with the bytes and the owner of `file`.
static void copy_file(int directory, const char *name, const struct file *file) {
  int copy = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (copy < 0 || write(copy, file->bytes, file->count) != (ssize_t)file->count ||
      fchown(copy, file->status.st_uid, file->status.st_gid) != 0 ||
      fchmod(copy, file->status.st_mode & 07777) != 0)
    fail("write", name);
  close(copy);
}

// Fills a folder with files of other users, and the measured user's in the middle. A file of another
// user is never opened, so most of these files are links to one of them: a folder of 1,000,000 names
// has its full size, and the files of the other users take no space.
static void fill_folder(int directory, const struct file *file, int users) {
  enum { links = 60000 };  // ext4 allows 65,000
  char name[64], first[64] = "";
  for (int number = 0; number < users; number++) {
    if (number == users / 2) {
      copy_file(directory, user, file);
      continue;
    }
    snprintf(name, sizeof name, "person-%06d", number);
    if (number % links != 0) {
      if (linkat(directory, first, directory, name, 0) != 0) fail("link", name);
      continue;
    }
    copy_file(directory, name, file);
    memcpy(first, name, sizeof first);
  }
}

static void populate(int most) {
  for (int store = thousand_users; store <= million_users && stores[store].users <= most; store++) {
    static const char *const parts[] = {"", "/factors", "/attempts"};
    for (int part = 0; part < 3; part++) {
      char from[512], to[512], path[640];
      struct stat status;
      snprintf(from, sizeof from, "%s/store-1%s", folder, parts[part]);
      snprintf(to, sizeof to, "%s/%s%s", folder, stores[store].folder, parts[part]);
      if (stat(from, &status) != 0) fail("stat", from);
      if (mkdir(to, 0700) != 0) fail("make", to);
      int directory = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (directory < 0 || fchown(directory, status.st_uid, status.st_gid) != 0 ||
          fchmod(directory, status.st_mode & 07777) != 0)
        fail("change the owner of", to);
      if (part == 0) continue;
      struct file file;
      snprintf(path, sizeof path, "store-1%s/%%s", parts[part]);
      read_state(&file, path);
      fill_folder(directory, &file, stores[store].users);
      if (syncfs(directory) != 0) fail("sync", to);
      close(directory);
    }
  }
}

// --- Hosts ---

struct host {
  int requests, replies;
};

struct reply {
  double microseconds;
  double faults;  // minor page faults of the login
  int result;
};

static struct reply log_in(int stack) {
  static const char wrong_code[] = "000000";
  double begin = now();
  pid_t child = fork();
  if (child == 0) {
    const struct sign_in options = {
        .folder = folder, .service = stacks[stack].service, .user = user,
        .code = stacks[stack].is_wrong ? wrong_code : code_of(0, 0)};
    _exit(sign_in(&options));
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) fail("wait", "child");
  return (struct reply){now() - begin, (double)usage.ru_minflt,
                        WIFEXITED(status) ? WEXITSTATUS(status) : 255};
}

static __attribute__((noreturn)) void serve(
    int requests, int replies, int openssl, int store, int resident) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, stores[store].folder);
  if (access(path, F_OK) == 0) mount_store(path);
  if (resident) start_service();
  start_application(user);
  if (openssl && !start_openssl()) fail("start", "libcrypto");
  int stack;
  while (read(requests, &stack, sizeof stack) == sizeof stack) {
    // The processor slept during the sync and its caches are cold: warm up first.
    log_in(0);
    struct reply reply = log_in(stack);
    if (write(replies, &reply, sizeof reply) != sizeof reply) break;
  }
  _exit(0);
}

static struct host start_host(int openssl, int store, int resident) {
  int requests[2], replies[2];
  if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(replies, O_CLOEXEC) != 0) fail("pipe", "host");
  pid_t child = fork();
  if (child < 0) fail("fork", "host");
  if (child == 0) serve(requests[0], replies[1], openssl, store, resident);
  close(requests[0]);
  close(replies[1]);
  return (struct host){requests[1], replies[0]};
}

static struct reply time_login(struct host host, int stack) {
  for (int file = 0; file < 2 && stacks[stack].state[file] != NULL; file++)
    restore(&files[stack][file]);
  struct reply reply;
  if (write(host.requests, &stack, sizeof stack) != sizeof stack ||
      read(host.replies, &reply, sizeof reply) != sizeof reply)
    fail("ask", "host");
  if (reply.result != (stacks[stack].is_wrong ? PAM_AUTH_ERR : PAM_SUCCESS)) {
    fprintf(stderr, "login-benchmark: error: %s: unexpected result: %s (%d)\n",
            stacks[stack].name, pam_strerror(NULL, reply.result), reply.result);
    exit(2);
  }
  return reply;
}

// Returns whether a row before `stack` has the same host.
static int has_host(const int *present, int stack) {
  for (int other = 0; other < stack; other++)
    if (present[other] && stacks[other].store == stacks[stack].store &&
        stacks[other].resident == stacks[stack].resident)
      return 1;
  return 0;
}

// --- The table ---

// Records what the row adds to the prompt, for the table of all figures.
static void record(const char *row, int kind, double adds) {
  char name[128];
  snprintf(name, sizeof name, "%s, OpenSSL %s", row, kind == 0 ? "up" : "not up");
  record_value(folder, name, adds);
}

int main(int count, char **arguments) {
  if (count == 5 && strcmp(arguments[1], "--populate") == 0) {
    folder = arguments[2];
    user = arguments[3];
    populate(atoi(arguments[4]));
    return 0;
  }
  if (count != 4 || atoi(arguments[3]) < 1) {
    fprintf(stderr, "usage: login-benchmark FOLDER USER ITERATIONS\n");
    return 64;
  }
  folder = arguments[1];
  user = arguments[2];
  int iterations = atoi(arguments[3]);

  int present[stack_count];
  for (int stack = 0; stack < stack_count; stack++) {
    char path[512];
    snprintf(path, sizeof path, "%s/services/%s", folder, stacks[stack].service);
    present[stack] = access(path, F_OK) == 0;
    // To profile a row, the others can be left out.
    const char *only = getenv("BENCHMARK_ROW");
    if (only != NULL && stack > google_wrong && strcmp(only, stacks[stack].name) != 0)
      present[stack] = 0;
    snprintf(path, sizeof path, "%s/%s", folder, stores[stacks[stack].store].folder);
    if (stacks[stack].store != one_user && access(path, F_OK) != 0) present[stack] = 0;
    for (int file = 0; file < 2 && present[stack] && stacks[stack].state[file] != NULL; file++)
      read_state(&files[stack][file], stacks[stack].state[file]);
  }
  compute_codes(folder, 1);
  drain_log();
  struct host hosts[host_kinds][store_count][2];
  for (int kind = 0; kind < host_kinds; kind++)
    for (int stack = 0; stack < stack_count; stack++) {
      const struct stack *row = &stacks[stack];
      if (present[stack] && !has_host(present, stack))
        hosts[kind][row->store][row->resident] =
            start_host(kind == 0, row->store, row->resident);
    }

  double *samples[stack_count][host_kinds], *faults[stack_count][host_kinds];
  int taken[stack_count][host_kinds] = {0};
  for (int stack = 0; stack < stack_count; stack++)
    for (int kind = 0; kind < host_kinds; kind++)
      if ((samples[stack][kind] = calloc((size_t)iterations, sizeof(double))) == NULL ||
          (faults[stack][kind] = calloc((size_t)iterations, sizeof(double))) == NULL)
        fail("allocate", "samples");

  for (int iteration = -warming; iteration < iterations; iteration++)
    for (int stack = 0; stack < stack_count; stack++)
      for (int kind = 0; kind < host_kinds; kind++) {
        if (!present[stack] || iteration % stacks[stack].every != 0) continue;
        struct reply reply = time_login(hosts[kind][stacks[stack].store][stacks[stack].resident], stack);
        if (iteration < 0) continue;
        faults[stack][kind][taken[stack][kind]] = reply.faults;
        samples[stack][kind][taken[stack][kind]++] = reply.microseconds;
      }

  printf("%-25s %-8s %6s %9s %9s %9s %7s %9s %7s\n", "microseconds", "OpenSSL", "logins", "p50",
         "p90", "p99", "faults", "adds", "ratio");
  for (int kind = 0; kind < host_kinds; kind++) {
    double base = 0, references[2] = {0};
    for (int stack = 0; stack < stack_count; stack++) {
      if (taken[stack][kind] == 0) continue;
      double *own = samples[stack][kind];
      const int logins = taken[stack][kind], is_wrong = stacks[stack].is_wrong;
      const double median = percentile(own, logins, 0.5);
      if (stack == 0) base = median;
      const double adds = median - base;
      if (stack == google || stack == google_wrong) references[is_wrong] = adds;
      printf("%-25s %-8s %6d %9.0f %9.0f %9.0f %7.0f %9.0f", stacks[stack].name,
             kind == 0 ? "up" : "not up", logins, median, percentile(own, logins, 0.9),
             percentile(own, logins, 0.99), percentile(faults[stack][kind], logins, 0.5), adds);
      if (stack > 0 && references[is_wrong] > 0) printf(" %7.2f", adds / references[is_wrong]);
      printf("\n");
      record(stacks[stack].name, kind, adds);
    }
  }
  return 0;
}
