// The interface to the operating system for Swift: system headers, and functions in place of what
// Swift cannot import (variadic functions, macros with arguments, GNU extensions). It has no state.
// _GNU_SOURCE is not defined, so that the C library looks the same in every module; GNU extensions
// are declared by hand.
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <shadow.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

// --- Errors ---

static inline int cposix_errno(void) { return errno; }

// Clears errno before a call that reports failure only through errno.
static inline void cposix_clear_errno(void) { errno = 0; }

// Returns the name of an error number ("ENOSPC"), or NULL.
char *_Nullable cposix_error_name(int number) __asm__("strerrorname_np");

// Returns the system's text for an error number ("No space left on device"), or NULL.
char *_Nullable cposix_error_text(int number) __asm__("strerrordesc_np");

static inline void cposix_syslog(int priority, const char *_Nonnull line) {
  syslog(priority, "%s", line);
}

// --- Files and descriptors ---

static inline int cposix_openat(int directory, const char *_Nonnull path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

// Returns 0 if the process may create files in a directory (its effective user, and a writable mount).
static inline int cposix_may_create(int directory) {
  return faccessat(directory, ".", W_OK | X_OK, AT_EACCESS);
}

// Allocates blocks for `count` bytes from `offset`. The size of the file stays as it is
// (FALLOC_FL_KEEP_SIZE, fallocate(2)).
static inline int cposix_allocate(int descriptor, long long offset, long long count) {
  return (int)syscall(SYS_fallocate, descriptor, 1, offset, count);
}

// Renames a file of a directory, or exchanges the names of two (RENAME_EXCHANGE, renameat2(2)).
static inline int cposix_rename(
    int directory, const char *_Nonnull from, const char *_Nonnull to, int exchanges) {
  if (!exchanges) return renameat(directory, from, directory, to);
  return (int)syscall(SYS_renameat2, directory, from, directory, to, 2);
}

int cposix_pipe(int *_Nonnull ends, int flags) __asm__("pipe2");

// Duplicates a descriptor to the lowest free number from `first` on. Programs do not inherit it.
static inline int cposix_duplicate(int descriptor, int first) {
  return fcntl(descriptor, F_DUPFD_CLOEXEC, first);
}

// Locks one byte of a file for its open file description (F_OFD_SETLK, fcntl(2)), without waiting.
static inline int cposix_lock_byte(int descriptor, long long offset) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
  return fcntl(descriptor, 37, &lock);
}

int cposix_close_range(unsigned first, unsigned last, int flags) __asm__("close_range");

// Closes every descriptor from `first` on.
static inline int cposix_close_from(unsigned first) { return cposix_close_range(first, ~0U, 0); }

static inline int cposix_window_size(int descriptor, struct winsize *_Nonnull size) {
  return ioctl(descriptor, TIOCGWINSZ, size);
}

// The type of `d_name` is an array, which Swift imports as a tuple of 256 elements.
static inline const char *_Nonnull cposix_entry_name(const struct dirent *_Nonnull entry) {
  return entry->d_name;
}

// --- Mount namespaces ---

// Moves this process to a new mount namespace whose mounts no other process sees.
static inline int cposix_leave_mounts(void) {
  const long left = syscall(SYS_unshare, 0x00020000 /* CLONE_NEWNS */);
  return left != 0 ? -1 : mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static inline int cposix_mount_memory(
    const char *_Nonnull folder, const char *_Nonnull options) {
  return mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options);
}

// Shows a file at the place of another one.
static inline int cposix_mount_file(const char *_Nonnull file, const char *_Nonnull place) {
  return mount(file, place, NULL, MS_BIND, NULL);
}

// --- Passwords ---

// Returns the hash of a password (crypt(3)), or NULL. A program that calls it links libcrypt.
char *_Nullable cposix_hash_password(
    const char *_Nonnull password, const char *_Nonnull settings) __asm__("crypt");

// --- Local sockets ---

// The credentials of a process (struct ucred, unix(7)).
struct cposix_credentials {
  pid_t process;
  uid_t user;
  gid_t group;
};

// Fills in the address of a local socket. Returns 0, or -1 if the path is too long.
static inline int cposix_local_address(
    struct sockaddr_un *_Nonnull address, const char *_Nonnull path) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address->sun_path, path);
  return 0;
}

// Creates two connected sockets that keep the boundaries of packets. Returns one descriptor in the lower half and
// the other one in the upper half, or -1.
static inline long cposix_packet_pair(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return -1;
  return (long)ends[1] << 32 | ends[0];
}

// Connects a new non-blocking socket that keeps the boundaries of packets. Returns the descriptor,
// or -1: EAGAIN if the listener's queue is full.
static inline int cposix_connect_packets(const char *_Nonnull path) {
  struct sockaddr_un address;
  if (cposix_local_address(&address, path) != 0) return -1;
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  if (connect(made, (const struct sockaddr *)&address, sizeof address) == 0) return made;
  const int error = errno;
  (void)close(made);
  errno = error;
  return -1;
}

// Binds a new non-blocking stream socket, and listens with a queue of 1024 connections. Returns the
// descriptor, or -1.
static inline int cposix_listen_stream(const char *_Nonnull path) {
  struct sockaddr_un address;
  if (cposix_local_address(&address, path) != 0) return -1;
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  if (bind(made, (const struct sockaddr *)&address, sizeof address) == 0
      && listen(made, 1024) == 0)
    return made;
  const int error = errno;
  (void)close(made);
  errno = error;
  return -1;
}

// Binds a new socket that keeps the boundaries of packets, to which only its owner can connect. Returns
// the descriptor, or -1. On Linux, the file gets the mode of the socket, so that the umask,
// which all threads share, need not change.
static inline int cposix_bind_packets(const char *_Nonnull path) {
  struct sockaddr_un address;
  if (cposix_local_address(&address, path) != 0) return -1;
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  if (fchmod(made, S_IRUSR | S_IWUSR) == 0
      && bind(made, (const struct sockaddr *)&address, sizeof address) == 0)
    return made;
  const int error = errno;
  (void)close(made);
  errno = error;
  return -1;
}

int cposix_accept(int listener, void *_Nullable address, void *_Nullable length, int flags)
    __asm__("accept4");

// Returns the credentials of the process at the other end: of the process that called connect(2),
// or of the process that called listen(2).
static inline int cposix_peer(int descriptor, struct cposix_credentials *_Nonnull peer) {
  socklen_t length = sizeof *peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, peer, &length);
}

// Lets the connections of a listener receive the sender of each packet.
static inline int cposix_receive_senders(int listener) {
  const int on = 1;
  return setsockopt(listener, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
}

// Sends a packet with the credentials of this process, with `user` as the user. The kernel accepts
// only the real, effective or saved user ID of the process.
static inline ssize_t cposix_send_as(
    int descriptor, const void *_Nullable bytes, size_t count, uid_t user) {
  const struct cposix_credentials sender = {getpid(), user, getgid()};
  union {
    char bytes[CMSG_SPACE(sizeof sender)];
    struct cmsghdr alignment;
  } control;
  memset(&control, 0, sizeof control);
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = 2; // SCM_CREDENTIALS
  header->cmsg_len = CMSG_LEN(sizeof sender);
  memcpy(CMSG_DATA(header), &sender, sizeof sender);
  return sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

// Receives a packet and its sender. Returns the packet's length, even if it exceeds `capacity`. If
// the sender is unknown, its process is 0, and its user is no user.
static inline ssize_t cposix_receive_from(
    int descriptor, void *_Nullable bytes, size_t capacity,
    struct cposix_credentials *_Nonnull sender) {
  union {
    char bytes[CMSG_SPACE(sizeof *sender)];
    struct cmsghdr alignment;
  } control;
  struct iovec part = {.iov_base = bytes, .iov_len = capacity};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  *sender = (struct cposix_credentials){0, (uid_t)-1, (gid_t)-1};
  const ssize_t count =
      recvmsg(descriptor, &message, MSG_TRUNC | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (count < 0) return count;
  const struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == 2 &&
      header->cmsg_len == CMSG_LEN(sizeof *sender))
    memcpy(sender, CMSG_DATA(header), sizeof *sender);
  return count;
}

// --- Shared memory ---

static inline void *_Nullable cposix_share_memory(size_t count) {
  void *const memory =
      mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static inline unsigned cposix_load(const unsigned *_Nonnull value) {
  return __atomic_load_n(value, __ATOMIC_SEQ_CST);
}

static inline void cposix_store(unsigned *_Nonnull value, unsigned number) {
  __atomic_store_n(value, number, __ATOMIC_SEQ_CST);
}

// Adds a number, and returns the sum.
static inline unsigned cposix_add(unsigned *_Nonnull value, int number) {
  return __atomic_add_fetch(value, (unsigned)number, __ATOMIC_SEQ_CST);
}

// --- Accounts ---

int cposix_group_list(
    const char *_Nonnull user, gid_t group, gid_t *_Nonnull groups, int *_Nonnull count)
    __asm__("getgrouplist");

// Reads the next line of a file in the format of /etc/passwd. Returns 0, or an error number:
// ENOENT at the end of the file.
int cposix_read_account(
    FILE *_Nonnull file, struct passwd *_Nonnull entry, char *_Nonnull strings, size_t capacity,
    struct passwd *_Nullable *_Nonnull found) __asm__("fgetpwent_r");

// --- Identities and capabilities ---

int cposix_set_identities(uid_t real, uid_t effective, uid_t saved) __asm__("setresuid");

int cposix_set_groups(gid_t real, gid_t effective, gid_t saved) __asm__("setresgid");

int cposix_identities(uid_t *_Nonnull real, uid_t *_Nonnull effective, uid_t *_Nonnull saved)
    __asm__("getresuid");

// Sets the effective user ID of this thread. The C library would change the user ID of every thread.
// The functions below do the same for the effective group ID and the supplementary groups.
static inline int cposix_set_thread_effective_user(uid_t user) {
  return (int)syscall(SYS_setresuid, -1, user, -1);
}

static inline int cposix_set_thread_effective_group(gid_t group) {
  return (int)syscall(SYS_setresgid, -1, group, -1);
}

static inline int cposix_set_thread_groups(size_t count, const gid_t *_Nullable groups) {
  return (int)syscall(SYS_setgroups, count, groups);
}

static inline int cposix_get_capabilities(
    struct __user_cap_header_struct *_Nonnull header, struct __user_cap_data_struct *_Nonnull sets) {
  return (int)syscall(SYS_capget, header, sets);
}

static inline int cposix_set_capabilities(
    struct __user_cap_header_struct *_Nonnull header,
    const struct __user_cap_data_struct *_Nonnull sets) {
  return (int)syscall(SYS_capset, header, sets);
}

// --- Processes and signals ---

int cposix_clear_environment(void) __asm__("clearenv");

static inline int cposix_control_process(int option, unsigned long argument) {
  return prctl(option, argument, 0UL, 0UL, 0UL);
}

// Waits until every signal that another process was sending has arrived. It is called right after
// that process has lost permission to send more. The kernel checks the permission and sends the
// signal in one RCU read-side section (kill(2)), and MEMBARRIER_CMD_GLOBAL returns when all
// sections that had begun are over (8 to 20 ms). With one processor, or with nohz_full, it returns
// at once.
static inline void cposix_await_signals(void) { (void)syscall(SYS_membarrier, 1, 0, 0); }

// Changes the blocked signals of this thread. Each bit stands for a signal; signal 1 is bit 0.
static inline int cposix_mask_signals(
    int operation, unsigned long long signals, unsigned long long *_Nullable before) {
  return (int)syscall(SYS_rt_sigprocmask, operation, &signals, before, sizeof signals);
}

// Sets the action of a signal to SIG_DFL or, if `is_ignored` is not 0, to SIG_IGN. The C library
// hides signals 32 and 33, so the kernel is called directly. A signal that is not caught needs no
// flags and no restorer, so the rest of the kernel's structure is zero.
static inline int cposix_set_signal(int number, int is_ignored) {
  const unsigned long action[9] = {is_ignored ? 1 : 0};
  return (int)syscall(SYS_rt_sigaction, number, action, NULL, 8UL);
}

// Starts a copy of this process. Returns 0 in the copy, which receives `signal` when its parent ends.
static inline pid_t cposix_fork(int signal) {
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process != 0) return process;
  if (prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0UL, 0UL, 0UL) != 0 || getppid() != parent)
    _exit(1);
  return 0;
}

// Returns a descriptor that becomes readable when one of these signals, which must be blocked, is
// pending.
static inline int cposix_signal_descriptor(unsigned long long signals) {
  return (int)syscall(SYS_signalfd4, -1, &signals, sizeof signals, O_CLOEXEC | O_NONBLOCK);
}

// Keeps the process running when its terminal hangs up.
static inline void cposix_ignore_hang_up(void) { (void)signal(SIGHUP, SIG_IGN); }

// Opens a descriptor of a process (pidfd_open(2)), which refers to that process even when the
// kernel reuses its number. Returns -1 on failure.
static inline int cposix_open_process(int number) {
  return (int)syscall(SYS_pidfd_open, number, 0);
}

// Sets the processors on which this process may run, one bit for each.
static inline int cposix_set_processors(const void *_Nonnull mask, size_t count) {
  return (int)syscall(SYS_sched_setaffinity, 0, count, mask);
}

// Sets the I/O scheduling class and priority of this process (ioprio_set(2)).
static inline int cposix_set_io_priority(int priority) {
  return (int)syscall(SYS_ioprio_set, 1, 0, priority);
}

// `ResourceLimit` has a case for each of Linux's limits.
_Static_assert(RLIMIT_NLIMITS == 16, "a resource limit is missing in ResourceLimit");
