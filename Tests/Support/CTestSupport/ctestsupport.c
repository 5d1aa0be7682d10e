#define _GNU_SOURCE
#include "ctestsupport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

// Descriptors for the child are first moved to this number or above, so that no move to a target
// overwrites a source.
enum { FIRST_FREE = 200 };

static char **list_of(const char *text, size_t count) {
  char **list = calloc(count + 1, sizeof *list);
  for (size_t index = 0; list != NULL && index < count; index++) {
    list[index] = (char *)text;
    text += strlen(text) + 1;
  }
  return list;
}

int ctest_spawn(const char *arguments, size_t argument_count, const char *environment,
                size_t variable_count, const int *sources, const int *targets, size_t count,
                const char *terminal, const char *directory, int *child, int *reference) {
  if (argument_count == 0) return -EINVAL;
  char **argv = list_of(arguments, argument_count);
  char **variables = list_of(environment, variable_count);
  int *moved = calloc(count + 1, sizeof *moved);
  size_t moves = 0;
  int highest = 2;
  int error = ENOMEM;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (argv == NULL || variables == NULL || moved == NULL) goto end;

  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  // The session exists before the actions run, so the first open makes the terminal the controlling
  // terminal.
  error = 0;
  if (terminal != NULL) {
    error = posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, 0, 1);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, 0, 2);
  }
  for (size_t index = 0; error == 0 && index < count; index++) {
    moved[index] = fcntl(sources[index], F_DUPFD_CLOEXEC, FIRST_FREE);
    if (moved[index] < 0) {
      error = errno;
      break;
    }
    moves = index + 1;
    if (targets[index] > highest) highest = targets[index];
    error = posix_spawn_file_actions_adddup2(&actions, moved[index], targets[index]);
  }
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, highest + 1);
  if (error == 0) error = posix_spawn_file_actions_addchdir_np(&actions, directory);
  if (error != 0) goto end;

  pid_t number = 0;
  error = posix_spawn(&number, argv[0], &actions, &attributes, argv, variables);
  if (error != 0) goto end;
  *child = number;
  // No other code waits for this child, so the process number has not been reused.
  *reference = pidfd_open(number, 0);
  if (*reference < 0) {
    error = errno;
    kill(number, SIGKILL);
    waitpid(number, NULL, 0);
  }

end:
  for (size_t index = 0; index < moves; index++) close(moved[index]);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(argv);
  free(variables);
  free(moved);
  return -error;
}

int ctest_wait(int reference, int milliseconds, int *code, int *signal) {
  int ready = ctest_readable(reference, -1, milliseconds);
  if (ready <= 0) return ready;
  siginfo_t information = {0};
  while (waitid(P_PIDFD, (id_t)reference, &information, WEXITED) != 0) {
    if (errno != EINTR) return -errno;
  }
  int exited = information.si_code == CLD_EXITED;
  *code = exited ? information.si_status : 0;
  *signal = exited ? 0 : information.si_status;
  return 1;
}

int ctest_kill(int reference, int signal) {
  return pidfd_send_signal(reference, signal, NULL, 0) == 0 ? 0 : -errno;
}

int ctest_has_stopped(int reference) {
  siginfo_t information = {0};
  int options = WSTOPPED | WEXITED | WNOHANG | WNOWAIT;
  if (waitid(P_PIDFD, (id_t)reference, &information, options) != 0) return -errno;
  return information.si_code == CLD_STOPPED;
}

int ctest_terminal(int rows, int columns, char *path, size_t capacity) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return -errno;
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  int failed = grantpt(master) != 0 || unlockpt(master) != 0 ||
               ioctl(master, TIOCSWINSZ, &size) != 0;
  int error = failed ? errno : ptsname_r(master, path, capacity);
  if (error == 0) return master;
  close(master);
  return -error;
}

int ctest_columns(wchar_t character) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
  if (utf8 == NULL) abort();
  locale_t before = uselocale(utf8);
  int columns = wcwidth(character);
  uselocale(before);
  freelocale(utf8);
  return columns;
}

int ctest_resize(int master, int rows, int columns) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  return ioctl(master, TIOCSWINSZ, &size) == 0 ? 0 : -errno;
}

int ctest_readable(int first, int second, int milliseconds) {
  struct pollfd watched[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
  int64_t end = ctest_milliseconds() + milliseconds;
  for (;;) {
    int64_t left = end - ctest_milliseconds();
    int ready = poll(watched, 2, left > 0 ? (int)left : 0);
    if (ready >= 0) return (watched[0].revents != 0 ? 1 : 0) | (watched[1].revents != 0 ? 2 : 0);
    if (errno != EINTR) return -errno;
  }
}

ssize_t ctest_read(int descriptor, uint8_t *bytes, size_t capacity) {
  ssize_t got;
  do got = read(descriptor, bytes, capacity);
  while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EIO) return 0;
  return got < 0 ? -errno : got;
}

ssize_t ctest_read_at(int descriptor, uint8_t *bytes, size_t capacity, off_t offset) {
  ssize_t got;
  do got = pread(descriptor, bytes, capacity, offset);
  while (got < 0 && errno == EINTR);
  return got < 0 ? -errno : got;
}

int ctest_write(int descriptor, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -errno;
    bytes += written;
    count -= (size_t)written;
  }
  return 0;
}

int ctest_memory(const uint8_t *bytes, size_t count) {
  int descriptor = memfd_create("test", MFD_CLOEXEC);
  if (descriptor < 0) return -errno;
  int error = ctest_write(descriptor, bytes, count);
  if (error == 0 && lseek(descriptor, 0, SEEK_SET) != 0) error = -errno;
  if (error == 0) return descriptor;
  close(descriptor);
  return error;
}

int ctest_pipe(int *reading, int *writing) {
  // Writing to a closed pipe must fail with an error, not end the tests. Children start with the
  // default disposition again.
  signal(SIGPIPE, SIG_IGN);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
  *reading = ends[0];
  *writing = ends[1];
  return 0;
}

static int address_of(const char *path, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  const size_t length = strlen(path);
  if (length >= sizeof address->sun_path) return -ENAMETOOLONG;
  memcpy(address->sun_path, path, length + 1);
  return 0;
}

int ctest_listen(const char *path) {
  struct sockaddr_un address;
  int error = address_of(path, &address);
  if (error != 0) return error;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  unlink(path);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
      chmod(path, 0666) == 0) {
    return descriptor;
  }
  error = -errno;
  close(descriptor);
  return error;
}

int ctest_send(const char *path, const uint8_t *bytes, size_t count) {
  struct sockaddr_un address;
  int error = address_of(path, &address);
  if (error != 0) return error;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  ssize_t sent = sendto(descriptor, bytes, count, 0, (struct sockaddr *)&address, sizeof address);
  error = sent < 0 ? -errno : 0;
  close(descriptor);
  return error;
}

static int local_socket(int port, struct sockaddr_in *address) {
  *address = (struct sockaddr_in){.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  return descriptor;
}

int ctest_hear_audit(void) {
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK, .nl_groups = 1 << (AUDIT_NLGRP_READLOG - 1)};
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
  if (descriptor < 0) return -errno;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int error = -errno;
  close(descriptor);
  return error;
}


int ctest_write_audit(const uint8_t *bytes, size_t count) {
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  struct nlmsghdr header = {
      .nlmsg_len = (uint32_t)(sizeof header + count), .nlmsg_type = AUDIT_USER,
      .nlmsg_flags = NLM_F_REQUEST};
  struct iovec parts[] = {{&header, sizeof header}, {(void *)bytes, count}};
  struct msghdr message = {
      .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = parts, .msg_iovlen = 2};
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
  if (descriptor < 0) return -errno;
  ssize_t sent = sendmsg(descriptor, &message, 0);
  int error = sent < 0 ? -errno : 0;
  close(descriptor);
  return error;
}

int ctest_free_port(void) {
  struct sockaddr_in address;
  int descriptor = local_socket(0, &address);
  if (descriptor < 0) return descriptor;
  socklen_t size = sizeof address;
  int failed = bind(descriptor, (struct sockaddr *)&address, size) != 0 ||
               getsockname(descriptor, (struct sockaddr *)&address, &size) != 0;
  int result = failed ? -errno : ntohs(address.sin_port);
  close(descriptor);
  return result;
}

int ctest_port_answers(int port) {
  struct sockaddr_in address;
  int descriptor = local_socket(port, &address);
  if (descriptor < 0) return descriptor;
  int answers = connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0;
  close(descriptor);
  return answers;
}

// Parses a numeric IPv4 or IPv6 address; returns the length of the socket address.
static socklen_t numeric_address(const char *text, struct sockaddr_storage *address) {
  struct sockaddr_in *four = (struct sockaddr_in *)address;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
  memset(address, 0, sizeof *address);
  if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    return sizeof *four;
  }
  six->sin6_family = AF_INET6;
  return inet_pton(AF_INET6, text, &six->sin6_addr) == 1 ? sizeof *six : 0;
}

int ctest_accepted(const char *server, const char *target, const char *client, int lowest) {
  struct sockaddr_storage here, there, from;
  socklen_t size = numeric_address(server, &here);
  const socklen_t there_size = numeric_address(target, &there);
  const socklen_t from_size = numeric_address(client, &from);
  const int off = 0;
  const int listener = socket(here.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int low = socket(there.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int connecting = fcntl(low, F_DUPFD_CLOEXEC, 512);
  if (low >= 0) close(low);
  if (here.ss_family == AF_INET6)
    (void)setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  int result = -1;
  if (listener >= 0 && connecting >= 0 && bind(listener, (struct sockaddr *)&here, size) == 0 &&
      listen(listener, 1) == 0 && getsockname(listener, (struct sockaddr *)&here, &size) == 0 &&
      bind(connecting, (struct sockaddr *)&from, from_size) == 0) {
    // The port is at the same offset in both address families.
    ((struct sockaddr_in *)&there)->sin_port = ((struct sockaddr_in *)&here)->sin_port;
    if (connect(connecting, (struct sockaddr *)&there, there_size) == 0) {
      const int accepted = accept(listener, NULL, NULL);
      result = fcntl(accepted, F_DUPFD_CLOEXEC, lowest);
      if (accepted >= 0) close(accepted);
    }
  }
  if (result < 0) result = -errno;
  if (listener >= 0) close(listener);
  return result;
}

int ctest_datagrams(const char *target) {
  struct sockaddr_storage there;
  const socklen_t size = numeric_address(target, &there);
  ((struct sockaddr_in *)&there)->sin_port = htons(9);
  const int descriptor = socket(there.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&there, size) != 0) return -errno;
  return descriptor;
}

void ctest_close(int descriptor) { close(descriptor); }

int64_t ctest_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int ctest_is_socket(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode);
}

int ctest_sockets(void) {
  int count = 0;
  for (int number = 0; number < 1024; number++) count += ctest_is_socket(number);
  return count;
}

static volatile sig_atomic_t child_signals;

static void count_signal(int number) {
  (void)number;
  child_signals++;
}

void ctest_watch_children(int ignoring) {
  struct sigaction action = {.sa_handler = ignoring ? SIG_IGN : count_signal};
  child_signals = 0;
  (void)sigaction(SIGCHLD, &action, NULL);
}

int ctest_child_signals(void) { return child_signals; }

int ctest_finds_child(int all) {
  return waitpid(-1, NULL, WNOHANG | (all ? __WALL : 0)) >= 0 || errno != ECHILD;
}

int ctest_set_identities(unsigned real, unsigned effective, unsigned saved) {
  return setresuid(real, effective, saved);
}

int ctest_block_broken_pipe(int blocked) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return -pthread_sigmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}
