#define _DEFAULT_SOURCE

#include "cqrencode.h"

#include <dlfcn.h>
#include <limits.h>
#include <qrencode.h>
#include <stdatomic.h>
#include <string.h>

// The addresses of the functions, valid once `loaded` is set. Threads that load the library at the
// same time write the same values, so there is no lock that a fork could leave locked.
static void *_Atomic encode_address;
static void *_Atomic free_address;
static atomic_bool loaded;

#define call(name, address) \
  ((__typeof__(&name))atomic_load_explicit(&address, memory_order_relaxed))

// Loads libqrencode on the first call. Returns 1, or 0 if the library is not available; the next
// call then tries again.
static int load(void) {
  if (atomic_load_explicit(&loaded, memory_order_acquire)) return 1;

  // The name has no slash, so a privileged process searches only the system's directories.
  void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  void *encode = dlsym(library, "QRcode_encodeData");
  void *release = dlsym(library, "QRcode_free");
  if (encode == NULL || release == NULL) return 0;
  atomic_store_explicit(&encode_address, encode, memory_order_relaxed);
  atomic_store_explicit(&free_address, release, memory_order_relaxed);
  atomic_store_explicit(&loaded, 1, memory_order_release);
  return 1;
}

int cqrencode_encode(
    const uint8_t *bytes, size_t count, int level, uint8_t *modules, size_t capacity) {
  if (!load()) return cqrencode_no_library;
  if (count > INT_MAX) return cqrencode_no_memory;
  QRcode *made = call(QRcode_encodeData, encode_address)(
      (int)count, bytes, 0, level == cqrencode_low ? QR_ECLEVEL_L : QR_ECLEVEL_M);
  if (made == NULL) return cqrencode_no_memory;

  const size_t size = made->width > 0 ? (size_t)made->width : 0, square = size * size;
  const int fits = made->data != NULL && square <= capacity;
  if (fits) {
    // The lowest bit is the colour; the others tell what part of the symbol a module belongs to.
    for (size_t index = 0; index < square; index++) modules[index] = made->data[index] & 1;
  }
  if (made->data != NULL) explicit_bzero(made->data, square);
  call(QRcode_free, free_address)(made);
  return fits ? (int)size : cqrencode_no_memory;
}
