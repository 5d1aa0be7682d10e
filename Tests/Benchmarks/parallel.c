// Measures sign-ins that happen at the same time.
//
//   parallel FOLDER ROUNDS             workers sign in the users, each user once a round
//   parallel --one-user FOLDER ROUNDS  many sessions of the first user get a code at the same moment
//
// A team stands for the applications of a host with one stack: a process that has initialised OpenSSL,
// as sshd has, and that forks the workers or sessions of a round. The stacks take turns. Between two
// rounds, outside the measured interval, the files that the sign-ins changed are restored and synced.
//
// `run` prepares FOLDER (see login.h): FOLDER/store-parallel is /var/lib/mfa with the users of
// FOLDER/users, and FOLDER/homes has their home directories. The first user is only for `--one-user`,
// which runs with the library lock-times.so in LD_PRELOAD and its file in MFA_LOCK_TIMES.
#include "login.h"

#include <fcntl.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lock-times.h"

enum { most_users = 2000, workers_count = 8, sessions_count = 64 };

static const struct stack {
  const char *name, *service;
  const char *state[2];  // files in FOLDER that a sign-in changes; %s is the user's name
  int resident;          // whether the resident service runs; if not, mfa-helper decides
} stacks[] = {
    {"prompt only", "prompt", {NULL}, 0},
    {"google-authenticator", "google", {"homes/%s/.google_authenticator"}, 0},
    {"mfad", "mfa", {"store-parallel/factors/%s", "store-parallel/attempts/%s"}, 1},
    {"mfa-helper", "mfa", {"store-parallel/factors/%s", "store-parallel/attempts/%s"}, 0},
};
enum { stack_count = sizeof stacks / sizeof stacks[0], prompt = 0, google = 1 };

static const char *folder;
static char users[most_users][32];
static int user_count;
static struct file files[stack_count][most_users][2];

// What the processes of a round share.
static struct {
  atomic_int next;     // the next user to sign in
  atomic_int waiting;  // the number of sessions that have been asked for a code
  struct {
    double microseconds;  // from the code to the result
    int result;
  } sessions[sessions_count];
} *shared;
static struct lock_times *lock_times;
static int start[2];  // a pipe: the round starts when its write end is closed
static double answered;

static void read_users(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/users", folder);
  FILE *names = fopen(path, "re");
  if (names == NULL) fail("open", path);
  while (user_count < most_users && fscanf(names, "%31s", users[user_count]) == 1) user_count++;
  fclose(names);
}

static void read_state(int stack, int user) {
  for (int index = 0; index < 2 && stacks[stack].state[index] != NULL; index++) {
    char name[256], path[512];
    snprintf(name, sizeof name, stacks[stack].state[index], users[user]);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    read_file(&files[stack][user][index], path);
  }
}

static void restore_state(int stack) {
  for (int user = 0; user < user_count; user++)
    for (int index = 0; index < 2; index++)
      if (files[stack][user][index].bytes != NULL) write_back(&files[stack][user][index]);
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || syncfs(directory) != 0) fail("sync", folder);
  close(directory);
}

static void wait_for_start(void) {
  char byte;
  close(start[1]);
  if (read(start[0], &byte, 1) != 0) fail("wait", "start");
}

static pid_t fork_waiting(void) {
  pid_t child = fork();
  if (child < 0) fail("fork", "round");
  if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  return child;
}

// Lets the processes of the round start and waits for all of them. Returns the microseconds.
static double run_round(void) {
  int status;
  double begin = now();
  close(start[0]);
  close(start[1]);
  while (wait(&status) > 0)
    if (status != 0) exit(2);
  return now() - begin;
}

// --- Many users ---

// Signs in one user after the other, each in a process of its own.
static void work(const struct stack *stack) {
  wait_for_start();
  for (int user; (user = shared->next++) < user_count;) {
    pid_t child = fork();
    if (child == 0) {
      const struct sign_in options = {.folder = folder, .service = stack->service,
                                      .user = users[user], .code = code_of(user, 0)};
      _exit(sign_in(&options));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) fail("wait", users[user]);
    if (status == PAM_SUCCESS) continue;
    fprintf(stderr, "parallel: error: %s: %s was denied\n", stack->name, users[user]);
    _exit(1);
  }
  _exit(0);
}

static double all_users(const struct stack *stack, int workers) {
  shared->next = 1;
  if (pipe2(start, O_CLOEXEC) != 0) fail("pipe", "start");
  for (int worker = 0; worker < workers; worker++)
    if (fork_waiting() == 0) work(stack);
  return run_round();
}

// --- One user ---

static void asked(void) {
  // Another prompt of the same session is answered at once.
  if (answered > 0) return;
  shared->waiting++;
  wait_for_start();
  answered = now();
}

static double one_user(const struct stack *stack) {
  if (lock_times == NULL) fail("map", "MFA_LOCK_TIMES");
  shared->waiting = 0;
  *lock_times = (struct lock_times){0};
  if (pipe2(start, O_CLOEXEC) != 0) fail("pipe", "start");
  const struct sign_in options = {.folder = folder, .service = stack->service, .user = users[0],
                                  .code = code_of(0, 0), .asked = asked};
  for (int session = 0; session < sessions_count; session++) {
    if (fork_waiting() != 0) continue;
    shared->sessions[session].result = sign_in(&options);
    shared->sessions[session].microseconds = now() - answered;
    _exit(0);
  }
  while (shared->waiting < sessions_count) usleep(1000);
  return run_round();
}

// --- Teams ---

struct team {
  int requests, replies;
};

// A request is the number of workers, or 0 for the sessions of one user; the reply is the time.
static __attribute__((noreturn)) void serve(int requests, int replies, const struct stack *stack) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The service is forked by a process of its own, so that this one has no child between two rounds.
  char path[512];
  snprintf(path, sizeof path, "%s/store-parallel", folder);
  mount_store(path);
  if (stack->resident) {
    pid_t child = fork();
    if (child == 0) {
      start_service();
      _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) exit(2);
  }
  start_application(users[0]);
  if (!start_openssl()) fail("start", "libcrypto");
  int workers;
  while (read(requests, &workers, sizeof workers) == sizeof workers) {
    double microseconds = workers == 0 ? one_user(stack) : all_users(stack, workers);
    if (write(replies, &microseconds, sizeof microseconds) != sizeof microseconds) break;
  }
  _exit(0);
}

static struct team start_team(const struct stack *stack) {
  int requests[2], replies[2];
  if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(replies, O_CLOEXEC) != 0) fail("pipe", "team");
  pid_t child = fork();
  if (child < 0) fail("fork", "team");
  if (child == 0) serve(requests[0], replies[1], stack);
  close(requests[0]);
  close(replies[1]);
  return (struct team){requests[1], replies[0]};
}

static double time_round(struct team team, int stack, int workers) {
  double microseconds;
  restore_state(stack);
  if (write(team.requests, &workers, sizeof workers) != sizeof workers ||
      read(team.replies, &microseconds, sizeof microseconds) != sizeof microseconds)
    fail("ask", stacks[stack].name);
  return microseconds;
}

// Runs one more round first, which is not measured.
static void measure_all_users(int rounds) {
  static const int workers[] = {1, workers_count};
  struct team teams[stack_count];
  double *samples[stack_count][2];
  for (int stack = 0; stack < stack_count; stack++)
    for (int user = 1; user < user_count; user++) read_state(stack, user);
  for (int stack = 0; stack < stack_count; stack++) {
    teams[stack] = start_team(&stacks[stack]);
    for (int way = 0; way < 2; way++)
      if ((samples[stack][way] = calloc((size_t)rounds, sizeof(double))) == NULL)
        fail("allocate", "samples");
  }
  for (int round = -1; round < rounds; round++)
    for (int way = 0; way < 2; way++)
      for (int stack = 0; stack < stack_count; stack++) {
        double microseconds = time_round(teams[stack], stack, workers[way]);
        if (round >= 0) samples[stack][way][round] = microseconds / (user_count - 1);
      }
  printf("%-25s %7s %7s %12s %12s %9s %7s\n", "accepted sign-ins", "users", "workers",
         "per second", "microseconds", "adds", "ratio");
  for (int way = 0; way < 2; way++) {
    double medians[stack_count];
    for (int stack = 0; stack < stack_count; stack++) {
      medians[stack] = percentile(samples[stack][way], rounds, 0.5);
      const double adds = medians[stack] - medians[prompt];
      printf("%-25s %7d %7d %12.0f %12.0f %9.0f", stacks[stack].name, user_count - 1, workers[way],
             1e6 / medians[stack], medians[stack], adds);
      if (stack >= google) printf(" %7.2f", adds / (medians[google] - medians[prompt]));
      printf("\n");
      char name[128];
      snprintf(name, sizeof name, "%s, %d workers", stacks[stack].name, workers[way]);
      record_value(folder, name, medians[stack]);
    }
  }
}

static void measure_one_user(int rounds) {
  printf("%-25s %9s %9s %14s %14s %14s\n", "microseconds", "sessions", "rounds", "longest wait",
         "longest p50", "longest result");
  for (int stack = google + 1; stack < stack_count; stack++) read_state(stack, 0);
  for (int stack = google + 1; stack < stack_count; stack++) {
    struct team team = start_team(&stacks[stack]);
    double longest_wait = 0, longest_result = 0, *waits = calloc((size_t)rounds, sizeof *waits);
    if (waits == NULL) fail("allocate", "waits");
    for (int round = -1; round < rounds; round++) {
      time_round(team, stack, 0);
      int accepted = 0;
      // The helper is setuid, so no library is loaded into it.
      if (stacks[stack].resident && lock_times->count < sessions_count)
        fail("count the locks of", stacks[stack].name);
      for (int session = 0; session < sessions_count; session++) {
        accepted += shared->sessions[session].result == PAM_SUCCESS;
        if (round >= 0 && shared->sessions[session].microseconds > longest_result)
          longest_result = shared->sessions[session].microseconds;
      }
      if (accepted != 1) {
        fprintf(stderr, "parallel: error: %s: %d sessions were accepted with one code\n",
                stacks[stack].name, accepted);
        exit(2);
      }
      if (round < 0) continue;
      waits[round] = (double)lock_times->longest / 1e3;
      if (waits[round] > longest_wait) longest_wait = waits[round];
    }
    char name[128];
    printf("%-25s %9d %9d ", stacks[stack].name, sessions_count, rounds);
    if (stacks[stack].resident) {
      printf("%14.0f %14.0f", longest_wait, percentile(waits, rounds, 0.5));
      snprintf(name, sizeof name, "%s, longest wait for the lock", stacks[stack].name);
      record_value(folder, name, longest_wait);
    } else {
      printf("%14s %14s", "-", "-");
    }
    printf(" %14.0f\n", longest_result);
    snprintf(name, sizeof name, "%s, longest result", stacks[stack].name);
    record_value(folder, name, longest_result);
    free(waits);
  }
}

int main(int count, char **arguments) {
  const int is_one_user = count > 1 && strcmp(arguments[1], "--one-user") == 0;
  if (count != 3 + is_one_user || atoi(arguments[2 + is_one_user]) < 1) {
    fprintf(stderr, "usage: parallel [--one-user] FOLDER ROUNDS\n");
    return 64;
  }
  folder = arguments[1 + is_one_user];
  read_users();
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("mmap", "shared");
  compute_codes(folder, is_one_user ? 1 : user_count);
  drain_log();
  if (is_one_user) {
    if ((lock_times = map_lock_times()) == NULL) fail("map", "MFA_LOCK_TIMES");
    measure_one_user(atoi(arguments[3]));
  } else {
    measure_all_users(atoi(arguments[2]));
  }
  return 0;
}
