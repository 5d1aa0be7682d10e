// Reads and sets the attributes that a process inherits through exec(2) from the process that
// started it. Only this project's own programs use these functions. The module does not change the
// application's process.
#pragma once

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// `ResourceLimit` has a case for each of Linux's limits.
_Static_assert(RLIMIT_NLIMITS == 16, "a resource limit is missing in ResourceLimit");

static inline int cposix_get_limit(
    int resource, unsigned long long *_Nonnull soft, unsigned long long *_Nonnull hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return -1;
  *soft = limit.rlim_cur;
  *hard = limit.rlim_max;
  return 0;
}

static inline int cposix_set_limit(
    int resource, unsigned long long soft, unsigned long long hard) {
  const struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
  return setrlimit(resource, &limit);
}

// Returns the CPU time that this process has used, in whole seconds, rounded up.
static inline unsigned long long cposix_used_cpu_seconds(void) {
  struct timespec used;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
  return (unsigned long long)used.tv_sec + 1;
}

// Stops the three interval timers, the first of which alarm(2) also sets. Timers of timer_create(2)
// do not survive exec(2).
static inline int cposix_stop_timers(void) {
  const struct itimerval none = {{0, 0}, {0, 0}};
  const int timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
  for (int index = 0; index < 3; index++)
    if (setitimer(timers[index], &none, NULL) != 0) return -1;
  return 0;
}

// Sets every signal to its default action, discards pending signals, and unblocks all signals. The
// signals with which a terminal stops its processes are ignored instead.
//
// The C library hides signals 32 and 33, so the kernel is called directly. Ignoring a signal
// discards it if it is pending (POSIX, sigaction). A signal that is not caught needs no flags and
// no restorer, so the rest of the structure is zero.
static inline int cposix_settle_signals(void) {
  struct {
    void (*_Nullable handler)(int);
    unsigned long rest[8];
  } action;
  memset(&action, 0, sizeof action);
  for (int number = 1; number <= 64; number++) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    action.handler = SIG_IGN;
    if (syscall(SYS_rt_sigaction, number, &action, NULL, 8UL) != 0) return -1;
    if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU) continue;
    action.handler = SIG_DFL;
    if (syscall(SYS_rt_sigaction, number, &action, NULL, 8UL) != 0) return -1;
  }
  const unsigned long long none = 0;
  return (int)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8UL);
}

// Returns the niceness of the process, -20 to 19. The system call returns 20 minus the niceness.
static inline int cposix_niceness(void) {
  return 20 - (int)syscall(SYS_getpriority, PRIO_PROCESS, 0);
}

static inline int cposix_set_niceness(int niceness) {
  return setpriority(PRIO_PROCESS, 0, niceness);
}

// Sets the normal scheduling policy. Returns whether the process has it now.
static inline int cposix_schedule_normally(void) {
  const int reset_on_fork = 0x40000000;
  const int policy = (int)syscall(SYS_sched_getscheduler, 0);
  if (policy < 0) return 0;
  if ((policy & ~reset_on_fork) == SCHED_OTHER) return 1;
  const struct sched_param none = {0};
  // Clearing the flag requires a privilege, and keeping it does no harm.
  return syscall(SYS_sched_setscheduler, 0, SCHED_OTHER | (policy & reset_on_fork), &none) == 0;
}

// Allows the process to run on every processor of its control group.
static inline int cposix_use_every_processor(void) {
  unsigned char every[1024];
  memset(every, 0xFF, sizeof every);
  return (int)syscall(SYS_sched_setaffinity, 0, sizeof every, every);
}

// Sets the I/O scheduling class to none (0), so that the priority follows the niceness
// (ioprio_set(2)).
static inline int cposix_reset_io_priority(void) {
  return (int)syscall(SYS_ioprio_set, 1, 0, 0);
}

// Sets the default timer slack, 50,000 nanoseconds.
static inline int cposix_reset_timer_slack(void) {
  return prctl(PR_SET_TIMERSLACK, 50000UL, 0, 0, 0);
}

// Sets the execution domain of ordinary programs, without flags (personality(2)).
static inline int cposix_reset_personality(void) {
  const int present = (int)syscall(SYS_personality, 0xFFFFFFFFUL);
  return present == 0 ? 0 : (int)syscall(SYS_personality, 0UL);
}

static inline int cposix_no_parent_death_signal(void) {
  return prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
}

static inline int cposix_no_child_subreaper(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}
