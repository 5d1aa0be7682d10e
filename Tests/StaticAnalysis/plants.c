// Defects that an analyser must find, so that an analyser that finds nothing in the product is known to
// work. Never compiled into a program. Above each function are the analysers that find its defect.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int double_free(size_t count);
int use_after_free(size_t count);
int uninitialised_value(int descriptor);
int uninitialised_array(int number);
int memory_leak(const char *text);
int descriptor_leak(const char *path);
int file_leak(const char *path);
int unchecked_allocation(const char *text);
int null_dereference(const int *number);
int array_overrun(int number);
int heap_overrun(const char *text);
int wrong_free(const char *text);
char *returned_local(int number);

// found by: gcc clang cppcheck
int double_free(size_t count) {
  char *block = malloc(count);
  if (block == NULL) return -1;
  free(block);
  if (count > 3) free(block);
  return 0;
}

// found by: gcc clang
int use_after_free(size_t count) {
  char *block = calloc(count, 1);
  if (block == NULL) return -1;
  free(block);
  return block[0];
}

// found by: clang
int uninitialised_value(int descriptor) {
  int value;
  if (descriptor > 3 && read(descriptor, &value, sizeof value) != sizeof value) return -1;
  return value > 7;
}

// found by: clang cppcheck
int uninitialised_array(int number) {
  unsigned char bytes[16];
  if (number > 3) bytes[0] = 1;
  return bytes[0] + 1;
}

// found by: gcc clang cppcheck
int memory_leak(const char *text) {
  char *copy = strdup(text);
  if (copy == NULL) return -1;
  if (copy[0] == 'x') return 1;
  free(copy);
  return 0;
}

// found by: cppcheck
int descriptor_leak(const char *path) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  char byte = 0;
  if (read(descriptor, &byte, 1) != 1) return -1;
  (void)close(descriptor);
  return byte;
}

// found by: gcc clang cppcheck
int file_leak(const char *path) {
  FILE *file = fopen(path, "re");
  if (file == NULL) return -1;
  if (fgetc(file) == 'x') return -1;
  (void)fclose(file);
  return 0;
}

// found by: gcc
int unchecked_allocation(const char *text) {
  char *copy = strdup(text);
  const int first = copy[0];
  free(copy);
  return first;
}

// found by: clang
int null_dereference(const int *number) {
  if (number == NULL) (void)puts("none");
  return *number;
}

// found by: gcc cppcheck
int array_overrun(int number) {
  char block[8] = "";
  for (int index = 0; index <= 8; index++) block[index] = (char)number;
  return block[0] + block[number & 7];
}

// found by: clang cppcheck
int heap_overrun(const char *text) {
  char *block = malloc(8);
  if (block == NULL) return -1;
  block[8] = text[0];
  const int first = block[8];
  free(block);
  return first;
}

// found by: gcc clang
int wrong_free(const char *text) {
  char *copy = strdup(text);
  if (copy == NULL) return -1;
  free(copy + 1);
  return 0;
}

// found by: gcc clang cppcheck
char *returned_local(int number) {
  char block[8] = "";
  block[number & 7] = 1;
  char *first = block;
  return first;
}
