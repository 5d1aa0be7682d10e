#include "cpng.h"

#include <dlfcn.h>
#include <png.h>
#include <stdatomic.h>
#include <string.h>

// The address of the only function used, or NULL until libpng is loaded. The function belongs to
// libpng's simplified interface, which reports failures in its return value, so that no setjmp is
// needed here.
static void *_Atomic write_address;

// Loads libpng on the first call. Returns NULL if the library is not available; the next call then
// tries again.
static __typeof__(&png_image_write_to_memory) load(void) {
  void *found = atomic_load_explicit(&write_address, memory_order_acquire);
  if (found == NULL) {
    void *library = dlopen("libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) found = dlsym(library, "png_image_write_to_memory");
    atomic_store_explicit(&write_address, found, memory_order_release);
  }
  return (__typeof__(&png_image_write_to_memory))found;
}

int cpng_write(const uint8_t *pixels, uint32_t side, uint8_t *file, size_t *count) {
  // A palette of two colours: libpng packs eight pixels into a byte.
  static const uint8_t palette[2][3] = {{0xFF, 0xFF, 0xFF}, {0, 0, 0}};
  __typeof__(&png_image_write_to_memory) write = load();
  if (write == NULL) return cpng_no_library;
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = side;
  image.height = side;
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 2;
  png_alloc_size_t size = *count;
  const int done = write(&image, file, &size, 0, pixels, (png_int_32)side, palette) != 0;
  *count = size;
  return done ? cpng_done : cpng_failed;
}
