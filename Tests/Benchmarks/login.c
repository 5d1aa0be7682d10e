// See login.h.
#include "login.h"

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
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

__attribute__((noreturn)) void fail(const char *what, const char *which) {
  fprintf(stderr, "%s: error: %s: %s: %s\n", program_invocation_short_name, what, which,
          strerror(errno));
  exit(2);
}

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int ascending(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

double percentile(double *samples, int count, double share) {
  qsort(samples, (size_t)count, sizeof *samples, ascending);
  return samples[(int)(share * (count - 1))];
}

void record_value(const char *folder, const char *name, double value) {
  char path[512];
  snprintf(path, sizeof path, "%s/values", folder);
  FILE *values = fopen(path, "ae");
  if (values == NULL || fprintf(values, "%s\t%.1f\n", name, value) < 0 || fclose(values) != 0)
    fail("write", path);
}

// --- State files of the stacks ---

void read_file(struct file *file, const char *path) {
  snprintf(file->path, sizeof file->path, "%s", path);
  int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || fstat(descriptor, &file->status) != 0) fail("open", file->path);
  file->count = (size_t)file->status.st_size;
  file->bytes = malloc(file->count + 1);
  if (file->bytes == NULL || read(descriptor, file->bytes, file->count) != (ssize_t)file->count)
    fail("read", file->path);
  close(descriptor);
}

// Returns the open file.
static int write_open(const struct file *file) {
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
  return descriptor;
}

void write_back(const struct file *file) { close(write_open(file)); }

void restore(const struct file *file) {
  int descriptor = write_open(file);
  if (fsync(descriptor) != 0) fail("sync", file->path);
  close(descriptor);
  char parent[512];
  snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(file->path, '/') - file->path), file->path);
  descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || fsync(descriptor) != 0) fail("sync", parent);
  close(descriptor);
}

// --- Codes, computed by a child process so that no application inherits libcrypto ---

enum { code_count = 480 };

static char (*codes)[code_count][8];  // of each user, in time steps from `first_step`
static int64_t first_step;

static void compute(const char *folder, int users) {
  char path[512];
  snprintf(path, sizeof path, "%s/secret", folder);
  FILE *secrets = fopen(path, "re");
  void *library = dlopen("libcrypto.so.3", RTLD_NOW);
  if (secrets == NULL || library == NULL) _exit(1);
  __typeof__(&HMAC) hmac = (__typeof__(&HMAC))dlsym(library, "HMAC");
  __typeof__(&EVP_sha1) sha1 = (__typeof__(&EVP_sha1))dlsym(library, "EVP_sha1");
  for (int user = 0; user < users; user++) {
    uint8_t key[secret_length], message[8], digest[64];
    if (fread(key, sizeof key, 1, secrets) != 1) _exit(1);
    for (int index = 0; index < code_count; index++) {
      uint64_t step = (uint64_t)(first_step + index);
      for (int byte = 0; byte < 8; byte++) message[byte] = (uint8_t)(step >> (56 - 8 * byte));
      unsigned length = 0;
      if (hmac(sha1(), key, sizeof key, message, 8, digest, &length) == NULL) _exit(1);
      const uint8_t *at = digest + (digest[19] & 15);
      unsigned value = (at[0] & 127u) << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
      snprintf(codes[user][index], sizeof codes[user][index], "%06u", value % 1000000);
    }
  }
  fclose(secrets);
}

void compute_codes(const char *folder, int users) {
  codes = mmap(NULL, (size_t)users * sizeof *codes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (codes == MAP_FAILED) fail("mmap", "codes");
  first_step = time(NULL) / 30 - 10;
  pid_t child = fork();
  if (child == 0) {
    compute(folder, users);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) fail("compute", "codes");
}

const char *code_of(int user, int earlier) {
  int64_t index = time(NULL) / 30 - first_step - earlier;
  if (index < 0 || index >= code_count) fail("find", "a code of this time");
  return codes[user][index];
}

// --- What surrounds a sign-in ---

void drain_log(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
  unlink(address.sun_path);
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

void mount_store(const char *path) {
  if (unshare(CLONE_NEWNS) != 0 || mount(path, "/var/lib/mfa", NULL, MS_BIND, NULL) != 0)
    fail("mount", path);
}

void start_service(void) {
  if (mkdir("/run/mfa", 0755) != 0 && errno != EEXIST) fail("make", "/run/mfa");
  if (mount("none", "/run/mfa", "tmpfs", 0, "mode=0755") != 0) fail("mount", "/run/mfa");
  pid_t child = fork();
  if (child < 0) fail("fork", "mfad");
  if (child == 0) {
    execl("/usr/lib/mfa/mfad", "mfad", "--listen", "/run/mfa", (char *)NULL);
    _exit(127);
  }
  struct stat status;
  for (int tries = 0; stat("/run/mfa/users", &status) != 0 || status.st_mode != (S_IFSOCK | 0666);
       tries++) {
    if (tries > 5000 || waitpid(child, NULL, WNOHANG) != 0) fail("start", "mfad");
    usleep(1000);
  }
}

int start_openssl(void) {
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

void start_application(const char *user) {
  if (getpwnam(user) == NULL) fail("look up", user);
  openlog(program_invocation_short_name, LOG_PID, LOG_AUTHPRIV);
  syslog(LOG_DEBUG, "up");
}

// --- A sign-in ---

static int answer(int count, const struct pam_message **messages, struct pam_response **responses,
                  void *data) {
  const struct sign_in *options = data;
  struct pam_response *answers = calloc((size_t)count, sizeof *answers);
  if (answers == NULL) return PAM_BUF_ERR;
  for (int index = 0; index < count; index++)
    if (messages[index]->msg_style == PAM_PROMPT_ECHO_OFF ||
        messages[index]->msg_style == PAM_PROMPT_ECHO_ON) {
      if (options->asked != NULL) options->asked();
      answers[index].resp = strdup(options->code);
    }
  *responses = answers;
  return PAM_SUCCESS;
}

// The delay after a denial would hide its cost.
static void no_delay(int status, unsigned microseconds, void *data) {
  (void)status, (void)microseconds, (void)data;
}

int sign_in(const struct sign_in *options) {
  char services[512];
  snprintf(services, sizeof services, "%s/services", options->folder);
  struct pam_conv conversation = {answer, (void *)options};
  pam_handle_t *handle = NULL;
  int result =
      pam_start_confdir(options->service, options->user, &conversation, services, &handle);
  if (result != PAM_SUCCESS) return result;
  pam_set_item(handle, PAM_RHOST, "192.0.2.1");
  pam_set_item(handle, PAM_TTY, "ssh");
  pam_set_item(handle, PAM_FAIL_DELAY, (const void *)no_delay);
  result = pam_authenticate(handle, 0);
  if (options->decided != NULL) options->decided();
  pam_end(handle, result);
  return result;
}
