// Measures what a second factor adds to one login, from fork to exit, for each stack.
//
// A host process stands for the PAM application. It forks a child, which answers one PAM
// conversation with a correct code and exits, and measures the time from fork to waitpid. Some
// hosts have initialised OpenSSL, as sshd has; others have never opened libcrypto. Some use a store
// with one enrolled user, others a store with 1,000 or 100,000 users. All stacks alternate within
// one run, in every host, so that drift of the machine affects all of them alike. Between two
// logins, outside the measured interval, the stack's state files are restored and synced.
//
//   login-benchmark FOLDER USER ITERATIONS         measures logins
//   login-benchmark --populate FOLDER USER         creates store-1000 and store-100000 from store-1
//   login-benchmark --sign-in FOLDER USER SERVICE  signs in once with the previous code
//
// `run` prepares FOLDER (services in FOLDER/services, FOLDER/secret with the shared key as raw
// bytes, FOLDER/store-N as /var/lib/mfa with N enrolled users) and starts this program in a private
// machine, because it binds /dev/log and mounts over /var/lib/mfa.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <pwd.h>
#include <sched.h>
#include <security/pam_appl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

struct stack {
  const char *name;
  const char *service;   // the file in FOLDER/services; if it is missing, the row is left out
  const char *state[2];  // files in FOLDER that a login changes; %s is the user name
  int store;             // the index in `stores` of the store mounted as /var/lib/mfa
  int every;             // the row takes part in every nth iteration
};

enum { one_user, thousand_users, many_users, host_disk, store_count };

// The last store is on the file system that holds the checkout, if that is not the measured one.
static const struct {
  const char *folder;
  int users;
} stores[store_count] = {
    {"store-1", 1}, {"store-1000", 1000}, {"store-100000", 100000}, {"host/store-1", 1}};

static const struct stack stacks[] = {
    // This stack changes no file. One is restored anyway, so that the same pause precedes each row:
    // without the pause, this row alone would pay for the kernel's deferred work.
    {"prompt only", "prompt", {"services/prompt"}, one_user, 1},
    {"google-authenticator", "google", {"home/.google_authenticator"}, one_user, 1},
    {"least", "least", {"least"}, one_user, 1},
    {"pam_oath, own file", "oath-own", {"home/.oath"}, one_user, 1},
    {"pam_oath, 100,000 users", "oath-many", {"oath-many"}, one_user, 20},
    {"pam_mfa, 1 user", "mfa", {"store-1/factors/%s", "store-1/attempts/%s"}, one_user, 1},
    {"pam_mfa, 1,000 users", "mfa",
     {"store-1000/factors/%s", "store-1000/attempts/%s"}, thousand_users, 1},
    {"pam_mfa, 100,000 users", "mfa",
     {"store-100000/factors/%s", "store-100000/attempts/%s"}, many_users, 1},
    {"pam_mfa, host's own disk", "mfa",
     {"host/store-1/factors/%s", "host/store-1/attempts/%s"}, host_disk, 1},
};
enum { stack_count = sizeof stacks / sizeof stacks[0], reference_stack = 1 };

enum { host_kinds = 2, code_count = 480, warming = 20 };

static const char *folder, *user;
static char (*codes)[8];  // indexed by time step, starting at `first_step`
static int64_t first_step;

static __attribute__((noreturn)) void fail(const char *what, const char *which) {
  fprintf(stderr, "login-benchmark: error: %s: %s: %s\n", what, which, strerror(errno));
  exit(2);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

// --- State files of the stacks ---

struct file {
  char path[512];
  char *bytes;
  size_t count;
  struct stat status;
};
static struct file files[stack_count][2];

static void read_state(struct file *file, const char *pattern) {
  char name[256];
  snprintf(name, sizeof name, pattern, user);
  snprintf(file->path, sizeof file->path, "%s/%s", folder, name);
  int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || fstat(descriptor, &file->status) != 0) fail("open", file->path);
  file->count = (size_t)file->status.st_size;
  file->bytes = malloc(file->count + 1);
  if (file->bytes == NULL || read(descriptor, file->bytes, file->count) != (ssize_t)file->count)
    fail("read", file->path);
  close(descriptor);
}

// Writes in place, so that blocks stay allocated, and syncs the file and its folder, so that the
// next login pays only for its own work.
static void restore(const struct file *file) {
  int descriptor = open(file->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) fail("open", file->path);
  struct stat status;
  if (pwrite(descriptor, file->bytes, file->count, 0) != (ssize_t)file->count ||
      fstat(descriptor, &status) != 0)
    fail("write", file->path);
  if (status.st_size != file->status.st_size && ftruncate(descriptor, file->status.st_size) != 0)
    fail("truncate", file->path);
  if (status.st_uid != file->status.st_uid || status.st_mode != file->status.st_mode)
    if (fchown(descriptor, file->status.st_uid, file->status.st_gid) != 0 ||
        fchmod(descriptor, file->status.st_mode & 07777) != 0)
      fail("change the owner of", file->path);
  if (fsync(descriptor) != 0) fail("sync", file->path);
  close(descriptor);
  char parent[512];
  snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(file->path, '/') - file->path), file->path);
  descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || fsync(descriptor) != 0) fail("sync", parent);
  close(descriptor);
}

// Enrols more users by copying the same bytes to other names, so that the folders have a realistic
// size.
static void populate(void) {
  for (int store = thousand_users; store <= many_users; store++) {
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
      for (int number = 0; number < stores[store].users; number++) {
        char name[64];
        snprintf(name, sizeof name, "person-%06d", number);
        // The measured user is in the middle of the folder.
        int copy = openat(directory, number == stores[store].users / 2 ? user : name,
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (copy < 0 || write(copy, file.bytes, file.count) != (ssize_t)file.count ||
            fchown(copy, file.status.st_uid, file.status.st_gid) != 0 ||
            fchmod(copy, file.status.st_mode & 07777) != 0)
          fail("write", name);
        close(copy);
      }
      if (syncfs(directory) != 0) fail("sync", to);
      close(directory);
    }
  }
}

// --- Codes, computed by a child process so that no host inherits libcrypto ---

static void compute_codes(void) {
  codes = mmap(NULL, code_count * sizeof *codes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (codes == MAP_FAILED) fail("mmap", "codes");
  first_step = time(NULL) / 30 - 1;
  pid_t child = fork();
  if (child == 0) {
    char path[512];
    uint8_t key[64], message[8], digest[64];
    snprintf(path, sizeof path, "%s/secret", folder);
    int descriptor = open(path, O_RDONLY);
    ssize_t count = read(descriptor, key, sizeof key);
    void *library = dlopen("libcrypto.so.3", RTLD_NOW);
    if (count < 16 || library == NULL) _exit(1);
    __typeof__(&HMAC) hmac = (__typeof__(&HMAC))dlsym(library, "HMAC");
    __typeof__(&EVP_sha1) sha1 = (__typeof__(&EVP_sha1))dlsym(library, "EVP_sha1");
    for (int index = 0; index < code_count; index++) {
      uint64_t step = (uint64_t)(first_step + index);
      for (int byte = 0; byte < 8; byte++) message[byte] = (uint8_t)(step >> (56 - 8 * byte));
      unsigned length = 0;
      if (hmac(sha1(), key, (int)count, message, 8, digest, &length) == NULL) _exit(1);
      const uint8_t *at = digest + (digest[19] & 15);
      unsigned value = (at[0] & 127u) << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
      snprintf(codes[index], sizeof codes[index], "%06u", value % 1000000);
    }
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) fail("compute", "codes");
}

// --- A listener on /dev/log that reads and discards ---

static void drain_log(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
  int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0)
    fail("bind", "/dev/log (is this a private machine?)");
  if (chmod("/dev/log", 0666) != 0) fail("chmod", "/dev/log");
  pid_t child = fork();
  if (child < 0) fail("fork", "log");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char line[8192];
    while (recv(listener, line, sizeof line, 0) >= 0) continue;
    _exit(1);
  }
  close(listener);
}

// --- A login ---

static int answer(int count, const struct pam_message **messages, struct pam_response **responses,
                  void *code) {
  struct pam_response *answers = calloc((size_t)count, sizeof *answers);
  if (answers == NULL) return PAM_BUF_ERR;
  for (int index = 0; index < count; index++)
    if (messages[index]->msg_style == PAM_PROMPT_ECHO_OFF ||
        messages[index]->msg_style == PAM_PROMPT_ECHO_ON)
      answers[index].resp = strdup(code);
  *responses = answers;
  return PAM_SUCCESS;
}

// Signs in with the code of `earlier` steps ago, 0 or 1.
static int sign_in(const char *service, const char *services, int earlier) {
  int64_t index = time(NULL) / 30 - first_step - earlier;
  if (index < 0 || index >= code_count) return 254;
  struct pam_conv conversation = {answer, codes[index]};
  pam_handle_t *handle = NULL;
  int result = pam_start_confdir(service, user, &conversation, services, &handle);
  if (result != PAM_SUCCESS) return result;
  pam_set_item(handle, PAM_RHOST, "192.0.2.1");
  pam_set_item(handle, PAM_TTY, "ssh");
  result = pam_authenticate(handle, 0);
  pam_end(handle, result);
  return result;
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

static struct reply log_in(int stack, const char *services) {
  double begin = now();
  pid_t child = fork();
  if (child == 0) _exit(sign_in(stacks[stack].service, services, 0));
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) fail("wait", "child");
  return (struct reply){now() - begin, (double)usage.ru_minflt,
                        WIFEXITED(status) ? WEXITSTATUS(status) : 255};
}

// What sshd has initialised before it calls PAM: hashes, ciphers and random bytes, but no EVP_MAC.
static int start_openssl(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) return 0;
#define FIND(name) __typeof__(&name) call_##name = (__typeof__(&name))dlsym(library, #name)
  FIND(OPENSSL_init_crypto);
  FIND(EVP_MD_fetch);
  FIND(EVP_CIPHER_fetch);
  FIND(RAND_bytes);
  uint8_t byte;
  return call_OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) == 1 &&
         call_EVP_MD_fetch(NULL, "SHA1", NULL) != NULL &&
         call_EVP_MD_fetch(NULL, "SHA256", NULL) != NULL &&
         call_EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL) != NULL && call_RAND_bytes(&byte, 1) == 1;
}

static __attribute__((noreturn)) void serve(int requests, int replies, int openssl, int store) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char path[512], services[512];
  snprintf(services, sizeof services, "%s/services", folder);
  snprintf(path, sizeof path, "%s/%s", folder, stores[store].folder);
  if (access(path, F_OK) == 0 &&
      (unshare(CLONE_NEWNS) != 0 || mount(path, "/var/lib/mfa", NULL, MS_BIND, NULL) != 0))
    fail("mount", path);
  // sshd, sudo and login have all looked up the user and logged before they call PAM.
  if (getpwnam(user) == NULL) fail("look up", user);
  openlog("login-benchmark", LOG_PID, LOG_AUTHPRIV);
  syslog(LOG_DEBUG, "up");
  if (openssl && !start_openssl()) fail("start", "libcrypto");
  int stack;
  while (read(requests, &stack, sizeof stack) == sizeof stack) {
    // The processor slept during the sync and its caches are cold: warm up first.
    log_in(0, services);
    struct reply reply = log_in(stack, services);
    if (write(replies, &reply, sizeof reply) != sizeof reply) break;
  }
  _exit(0);
}

static struct host start_host(int openssl, int store) {
  int requests[2], replies[2];
  if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(replies, O_CLOEXEC) != 0) fail("pipe", "host");
  pid_t child = fork();
  if (child < 0) fail("fork", "host");
  if (child == 0) serve(requests[0], replies[1], openssl, store);
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
  if (reply.result != PAM_SUCCESS) {
    fprintf(stderr, "login-benchmark: error: %s: a right code was refused: %s (%d)\n",
            stacks[stack].name, pam_strerror(NULL, reply.result), reply.result);
    exit(2);
  }
  return reply;
}

// --- The table ---

static int ascending(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

static double percentile(const double *sorted, int count, double share) {
  return sorted[(int)(share * (count - 1))];
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "--populate") == 0) {
    folder = arguments[2];
    user = arguments[3];
    populate();
    return 0;
  }
  if (count == 5 && strcmp(arguments[1], "--sign-in") == 0) {
    folder = arguments[2];
    user = arguments[3];
    char services[512];
    snprintf(services, sizeof services, "%s/services", folder);
    compute_codes();
    return sign_in(arguments[4], services, 1);
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
    snprintf(path, sizeof path, "%s/%s", folder, stores[host_disk].folder);
    if (stacks[stack].store == host_disk && access(path, F_OK) != 0) present[stack] = 0;
    for (int file = 0; file < 2 && present[stack] && stacks[stack].state[file] != NULL; file++)
      read_state(&files[stack][file], stacks[stack].state[file]);
  }
  compute_codes();
  drain_log();
  struct host hosts[host_kinds][store_count];
  for (int kind = 0; kind < host_kinds; kind++)
    for (int store = 0; store < store_count; store++)
      hosts[kind][store] = start_host(kind == 0, store);

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
        struct reply reply = time_login(hosts[kind][stacks[stack].store], stack);
        if (iteration < 0) continue;
        faults[stack][kind][taken[stack][kind]] = reply.faults;
        samples[stack][kind][taken[stack][kind]++] = reply.microseconds;
      }

  printf("%-24s %-8s %6s %9s %9s %9s %7s %9s %7s\n", "microseconds", "OpenSSL", "logins", "p50",
         "p90", "p99", "faults", "adds", "ratio");
  for (int kind = 0; kind < host_kinds; kind++) {
    double base = 0, reference = 0;
    for (int stack = 0; stack < stack_count; stack++) {
      if (taken[stack][kind] == 0) continue;
      double *own = samples[stack][kind];
      int logins = taken[stack][kind];
      qsort(own, (size_t)logins, sizeof *own, ascending);
      double median = percentile(own, logins, 0.5);
      if (stack == 0) base = median;
      if (stack == reference_stack) reference = median - base;
      qsort(faults[stack][kind], (size_t)logins, sizeof *own, ascending);
      printf("%-24s %-8s %6d %9.0f %9.0f %9.0f %7.0f %9.0f", stacks[stack].name,
             kind == 0 ? "up" : "not up", logins, median, percentile(own, logins, 0.9),
             percentile(own, logins, 0.99), percentile(faults[stack][kind], logins, 0.5),
             median - base);
      if (stack > 0 && reference > 0) printf(" %7.2f", (median - base) / reference);
      printf("\n");
    }
  }
  return 0;
}
