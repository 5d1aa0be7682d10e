// What the benchmark's programs share: time, the files that a sign-in changes, codes, and one sign-in.
//
// FOLDER is prepared by `run`: FOLDER/services has the stacks, FOLDER/secret the users' keys as raw
// bytes, `secret_length` for each user, and FOLDER/users their names, one a line, in the same order.
#pragma once
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>

enum { secret_length = 20 };

__attribute__((noreturn)) void fail(const char *what, const char *which);

// The time in microseconds.
double now(void);

// Sorts the samples and returns the value below which `share` of them are.
double percentile(double *samples, int count, double share);

// Appends a named value to FOLDER/values, for the table of all figures.
void record_value(const char *folder, const char *name, double value);

// --- State files of the stacks ---

struct file {
  char path[512];
  char *bytes;
  size_t count;
  struct stat status;
};

void read_file(struct file *file, const char *path);

// Writes in place, so that blocks stay allocated.
void write_back(const struct file *file);

// Writes back and syncs the file and its folder, so that the next sign-in pays only for its own work.
void restore(const struct file *file);

// --- Codes ---

// Computes the codes of the next hours, of the first `users` users.
void compute_codes(const char *folder, int users);

// Returns the code of `earlier` time steps ago, at most 9. If it is negative, the code is one of the future.
const char *code_of(int user, int earlier);

// --- What surrounds a sign-in ---

// Starts a listener on /dev/log that reads and discards.
void drain_log(void);

// Mounts a store at /var/lib/mfa, in a mount namespace of this process's own.
void mount_store(const char *path);

// Starts mfad with sockets of its own, in this process's mount namespace, and waits for them.
void start_service(void);

// Initialises what sshd has initialised before it calls PAM: hashes, ciphers and random bytes, but no
// EVP_MAC. Returns 1 for success.
int start_openssl(void);

// Looks up the user and logs, as sshd, sudo and login do before they call PAM.
void start_application(const char *user);

// --- A sign-in ---

struct sign_in {
  const char *folder, *service, *user, *code;
  // Called when the user is asked, and when the modules have decided but are still loaded, or NULL.
  void (*asked)(void), (*decided)(void);
};

// Returns the result of PAM.
int sign_in(const struct sign_in *options);
