// A PAM application for tests: it signs a user in, answers the prompts from a descriptor, and
// prints the events as JSON, one per line.
//
//   pam-client SERVICE USER [--confdir DIRECTORY] [--rhost HOST] [--tty NAME] [--ruser NAME]
//     [--answers-fd N] [--silent] [--account] [--setcred] [--session] [--times N]
//     [--hold --ready-fd N --go-fd N] [--openssl] [--observe PART-OF-A-PATH] [--fail-delay]
//     [--watch-children] [--clock-offset SECONDS]
//
// The answers (descriptor 0 by default) are a sequence of frames: the number of bytes, 4 bytes,
// most significant first; then the bytes. Four numbers are not lengths; see `frame_kind`.
//
// With --hold, the client writes a byte to the ready descriptor at the first prompt, and answers
// once the go descriptor is readable or has ended. Many clients that share the go descriptor answer
// at the same time.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <security/pam_appl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum frame_kind {
  // The conversation returns a response without text.
  FRAME_NO_TEXT = 0xFFFFFFFF,
  // The conversation fails (PAM_CONV_ERR).
  FRAME_FAILURE = 0xFFFFFFFE,
  // The conversation returns PAM_SUCCESS and no responses.
  FRAME_NO_ANSWERS = 0xFFFFFFFD,
  // The conversation returns PAM_SUCCESS and leaves the response pointer unchanged.
  FRAME_UNTOUCHED = 0xFFFFFFFC,
};

struct options {
  const char *service, *user, *directory, *remote_host, *terminal, *remote_user, *observed;
  int answers, ready, go, times;
  bool silent, account, credentials, session, hold, openssl, delays, watches;
};

static struct options options = {
    .service = "", .user = "", .answers = 0, .ready = -1, .go = -1, .times = 1};

// The number of seconds that the simulated time of day is ahead of the machine's.
static long clock_offset;

// Overrides the C library's function for this program and every module that it loads.
int clock_gettime(clockid_t clock, struct timespec *time) {
  const int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += clock_offset;
  return result;
}

static void stop(const char *what) {
  fprintf(stderr, "pam-client: error: %s\n", what);
  exit(64);
}

static bool read_all(void *bytes, size_t count) {
  for (size_t got = 0; got < count;) {
    ssize_t more = read(options.answers, (char *)bytes + got, count - got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    got += (size_t)more;
  }
  return true;
}

static bool read_number(uint32_t *number) {
  uint8_t bytes[4];
  if (!read_all(bytes, sizeof bytes)) return false;
  *number = 0;
  for (size_t index = 0; index < sizeof bytes; index++) *number = *number << 8 | bytes[index];
  return true;
}

// Writes every byte above 126 as the character with the same number, so that the line is ASCII and
// lossless; the reader decodes it to bytes.
static void print_text(const char *text) {
  if (text == NULL) {
    fputs("null", stdout);
    return;
  }
  putchar('"');
  for (const unsigned char *next = (const unsigned char *)text; *next != 0; next++) {
    if (*next < 32 || *next > 126 || *next == '"' || *next == '\\') {
      printf("\\u%04x", *next);
    } else {
      putchar(*next);
    }
  }
  putchar('"');
}

static const char *name_of(int result) {
  switch (result) {
#define NAME(code) \
  case code: return #code;
    NAME(PAM_SUCCESS)
    NAME(PAM_OPEN_ERR)
    NAME(PAM_SYMBOL_ERR)
    NAME(PAM_SERVICE_ERR)
    NAME(PAM_SYSTEM_ERR)
    NAME(PAM_BUF_ERR)
    NAME(PAM_PERM_DENIED)
    NAME(PAM_AUTH_ERR)
    NAME(PAM_CRED_INSUFFICIENT)
    NAME(PAM_AUTHINFO_UNAVAIL)
    NAME(PAM_USER_UNKNOWN)
    NAME(PAM_MAXTRIES)
    NAME(PAM_NEW_AUTHTOK_REQD)
    NAME(PAM_ACCT_EXPIRED)
    NAME(PAM_SESSION_ERR)
    NAME(PAM_CRED_UNAVAIL)
    NAME(PAM_CRED_EXPIRED)
    NAME(PAM_CRED_ERR)
    NAME(PAM_NO_MODULE_DATA)
    NAME(PAM_CONV_ERR)
    NAME(PAM_AUTHTOK_ERR)
    NAME(PAM_AUTHTOK_RECOVERY_ERR)
    NAME(PAM_AUTHTOK_LOCK_BUSY)
    NAME(PAM_AUTHTOK_DISABLE_AGING)
    NAME(PAM_TRY_AGAIN)
    NAME(PAM_IGNORE)
    NAME(PAM_ABORT)
    NAME(PAM_AUTHTOK_EXPIRED)
    NAME(PAM_MODULE_UNKNOWN)
    NAME(PAM_BAD_ITEM)
    NAME(PAM_CONV_AGAIN)
    NAME(PAM_INCOMPLETE)
#undef NAME
  }
  return "unknown";
}

static void report(const char *call, int result) {
  printf("{\"event\":\"result\",\"call\":\"%s\",\"code\":\"%s\"}\n", call, name_of(result));
  fflush(stdout);
}

// The number of SIGCHLD signals. An application with child processes relies on being notified of
// those alone, and on finding no others when it waits.
static volatile sig_atomic_t announced;

static void count_child(int number) {
  (void)number;
  announced++;
}

static bool finds_child(void) {
  return options.watches && (waitpid(-1, NULL, WNOHANG | __WALL) >= 0 || errno != ECHILD);
}

// Prints the state of the process, for tests of what a module leaves behind in its host.
static void observe(const char *moment) {
  if (options.observed == NULL) return;
  char line[1024], caught[32] = "", ignored[32] = "", blocked[32] = "";
  long threads = 0;
  bool mapped = false;
  FILE *file = fopen("/proc/self/status", "re");
  if (file == NULL) stop("cannot read /proc/self/status");
  while (fgets(line, sizeof line, file) != NULL) {
    sscanf(line, "SigCgt: %31s", caught);
    sscanf(line, "SigIgn: %31s", ignored);
    sscanf(line, "SigBlk: %31s", blocked);
    sscanf(line, "Threads: %ld", &threads);
  }
  fclose(file);
  file = fopen("/proc/self/maps", "re");
  if (file == NULL) stop("cannot read /proc/self/maps");
  while (fgets(line, sizeof line, file) != NULL) mapped |= strstr(line, options.observed) != NULL;
  fclose(file);
  int descriptors = 0;
  for (int number = 0; number < 1024; number++) descriptors += dup2(number, number) == number;
  printf("{\"event\":\"process\",\"moment\":\"%s\",\"threads\":%ld,\"caught\":\"%s\","
         "\"ignored\":\"%s\",\"blocked\":\"%s\",\"mapped\":%s,\"descriptors\":%d,"
         "\"announced\":%d,\"child\":%s}\n",
         moment, threads, caught, ignored, blocked, mapped ? "true" : "false", descriptors,
         (int)announced, finds_child() ? "true" : "false");
  fflush(stdout);
}

static void wait_for_go(void) {
  static bool released = false;
  if (!options.hold || released) return;
  released = true;
  if (write(options.ready, "r", 1) != 1) stop("cannot announce the question");
  struct pollfd go = {.fd = options.go, .events = POLLIN};
  while (poll(&go, 1, -1) < 0) {
    if (errno != EINTR) stop("cannot wait to be released");
  }
}

static int converse(int count, const struct pam_message **messages, struct pam_response **answers,
                    void *context) {
  (void)context;
  struct pam_response *made = calloc((size_t)count, sizeof *made);
  if (made == NULL) return PAM_BUF_ERR;
  for (int index = 0; index < count; index++) {
    const struct pam_message *message = messages[index];
    const char *style = "unknown";
    bool question = false;
    switch (message->msg_style) {
      case PAM_PROMPT_ECHO_OFF: style = "hidden", question = true; break;
      case PAM_PROMPT_ECHO_ON: style = "shown", question = true; break;
      case PAM_ERROR_MSG: style = "error"; break;
      case PAM_TEXT_INFO: style = "information"; break;
    }
    printf("{\"event\":\"message\",\"style\":\"%s\",\"text\":", style);
    print_text(message->msg);
    printf("}\n");
    fflush(stdout);
    if (!question) continue;

    wait_for_go();
    uint32_t number;
    if (!read_number(&number)) {
      printf("{\"event\":\"unanswered\"}\n");
      fflush(stdout);
      free(made);
      return PAM_CONV_ERR;
    }
    switch (number) {
      case FRAME_NO_TEXT: continue;
      case FRAME_FAILURE: free(made); return PAM_CONV_ERR;
      case FRAME_NO_ANSWERS: free(made), *answers = NULL; return PAM_SUCCESS;
      case FRAME_UNTOUCHED: free(made); return PAM_SUCCESS;
    }
    made[index].resp = calloc((size_t)number + 1, 1);
    if (made[index].resp == NULL || !read_all(made[index].resp, number)) stop("a frame is cut off");
  }
  *answers = made;
  return PAM_SUCCESS;
}

// Reports the delay that libpam requests, and does not wait.
static void no_delay(int result, unsigned microseconds, void *context) {
  (void)context;
  if (result == PAM_SUCCESS) return;
  printf("{\"event\":\"delay\",\"microseconds\":%u}\n", microseconds);
  fflush(stdout);
}

// Initialises OpenSSL as a server does before it calls PAM: loads and configures it, and fetches a
// hash. Like the server, it also looks up the account.
static void start_openssl(void) {
  (void)getpwnam(options.user);
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) stop("libcrypto.so.3 cannot be loaded");
  int (*start)(uint64_t, const void *);
  void *(*fetch)(void *, const char *, const char *);
  *(void **)&start = dlsym(library, "OPENSSL_init_crypto");
  *(void **)&fetch = dlsym(library, "EVP_MD_fetch");
  enum { LOAD_CONFIGURATION = 0x40 };
  if (start == NULL || fetch == NULL || start(LOAD_CONFIGURATION, NULL) != 1 ||
      fetch(NULL, "SHA256", NULL) == NULL) {
    stop("OpenSSL cannot be initialised");
  }
}

static const char *next_of(char **arguments, int *index) {
  if (arguments[*index + 1] == NULL) stop("an option lacks its value");
  return arguments[++*index];
}

static void parse(char **arguments) {
  if (arguments[1] == NULL || arguments[2] == NULL) stop("usage: pam-client SERVICE USER ...");
  options.service = arguments[1];
  options.user = arguments[2];
  for (int index = 3; arguments[index] != NULL; index++) {
    const char *option = arguments[index];
#define OPTION(name) (strcmp(option, "--" name) == 0)
    if OPTION("confdir") options.directory = next_of(arguments, &index);
    else if OPTION("rhost") options.remote_host = next_of(arguments, &index);
    else if OPTION("tty") options.terminal = next_of(arguments, &index);
    else if OPTION("ruser") options.remote_user = next_of(arguments, &index);
    else if OPTION("observe") options.observed = next_of(arguments, &index);
    else if OPTION("answers-fd") options.answers = atoi(next_of(arguments, &index));
    else if OPTION("ready-fd") options.ready = atoi(next_of(arguments, &index));
    else if OPTION("go-fd") options.go = atoi(next_of(arguments, &index));
    else if OPTION("clock-offset") clock_offset = atol(next_of(arguments, &index));
    else if OPTION("times") options.times = atoi(next_of(arguments, &index));
    else if OPTION("silent") options.silent = true;
    else if OPTION("account") options.account = true;
    else if OPTION("setcred") options.credentials = true;
    else if OPTION("session") options.session = true;
    else if OPTION("hold") options.hold = true;
    else if OPTION("openssl") options.openssl = true;
    else if OPTION("fail-delay") options.delays = true;
    else if OPTION("watch-children") options.watches = true;
    else stop("unknown option");
#undef OPTION
  }
  if (options.hold && (options.ready < 0 || options.go < 0)) {
    stop("--hold needs --ready-fd and --go-fd");
  }
}

static void set_item(pam_handle_t *handle, int item, const void *value) {
  if (value == NULL) return;
  if (pam_set_item(handle, item, value) != PAM_SUCCESS) stop("pam_set_item failed");
}

// Performs one sign-in. Returns the first result that is not PAM_SUCCESS.
static int sign_in(void) {
  struct pam_conv conversation = {.conv = converse};
  pam_handle_t *handle = NULL;
  int flags = options.silent ? PAM_SILENT : 0;
  const char *user = options.user[0] == 0 ? NULL : options.user;
  const char *service = options.service;
  int result = options.directory == NULL
                   ? pam_start(service, user, &conversation, &handle)
                   : pam_start_confdir(service, user, &conversation, options.directory, &handle);
  if (result != PAM_SUCCESS) {
    report("start", result);
    return result;
  }
  set_item(handle, PAM_RHOST, options.remote_host);
  set_item(handle, PAM_TTY, options.terminal);
  set_item(handle, PAM_RUSER, options.remote_user);
  if (!options.delays) {
    void (*delay)(int, unsigned, void *) = no_delay;
    set_item(handle, PAM_FAIL_DELAY, *(void **)&delay);
  }

  result = pam_authenticate(handle, flags);
  report("authenticate", result);
  if (result == PAM_SUCCESS && options.account) {
    result = pam_acct_mgmt(handle, flags);
    report("account", result);
  }
  if (result == PAM_SUCCESS && options.credentials) {
    result = pam_setcred(handle, flags | PAM_ESTABLISH_CRED);
    report("setcred", result);
  }
  if (result == PAM_SUCCESS && options.session) {
    result = pam_open_session(handle, flags);
    report("open-session", result);
    if (result == PAM_SUCCESS) report("close-session", pam_close_session(handle, flags));
  }

  const void *token = NULL, *name = NULL;
  (void)pam_get_item(handle, PAM_USER, &name);
  printf("{\"event\":\"user\",\"text\":");
  print_text(name);
  // Applications may not read PAM_AUTHTOK, so this is null unless a module is wrong.
  (void)pam_get_item(handle, PAM_AUTHTOK, &token);
  printf(",\"password\":%s}\n", token == NULL ? "false" : "true");
  observe("authenticated");
  (void)pam_end(handle, result);
  observe("ended");
  return result;
}

int main(int count, char **arguments) {
  (void)count;
  parse(arguments);
  if (options.openssl) start_openssl();
  if (options.watches) signal(SIGCHLD, count_child);
  observe("started");
  int result = PAM_SUCCESS;
  for (int turn = 0; turn < options.times; turn++) result = sign_in();

  uint32_t number, unused = 0;
  while (read_number(&number)) {
    unused++;
    for (uint32_t skipped = 0; number < FRAME_UNTOUCHED && skipped < number; skipped++) {
      char byte;
      if (!read_all(&byte, 1)) stop("a frame is cut off");
    }
  }
  printf("{\"event\":\"end\",\"unused\":%u}\n", unused);
  return result == PAM_SUCCESS ? 0 : 1;
}
