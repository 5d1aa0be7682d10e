// Tells ThreadSanitizer which thread waited for which when a Swift Mutex is contended.
//
// The Synchronization library, which waits with futex(2), is not built with ThreadSanitizer, so that each value that
// a thread had to wait for would be reported as a data race. With ThreadSanitizer, the tests therefore have functions
// with the names of those two of the library: they call the library, and say before or after that the mutex was
// unlocked or locked.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// Of ThreadSanitizer. What a thread did before the release happened before what another does after the acquisition.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void lock_function(uint32_t thread,
                                                      __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void unlock_function(__attribute__((swift_context)) void *mutex);

static void *of_library(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (function == NULL) abort();
  return function;
}

lock_function contended_mutex_lock __asm__(LOCK);
__attribute__((swiftcall)) void contended_mutex_lock(uint32_t thread,
                                                     __attribute__((swift_context)) void *mutex) {
  lock_function *lock = (lock_function *)of_library(LOCK);
  lock(thread, mutex);
  __tsan_acquire(mutex);
}

unlock_function contended_mutex_unlock __asm__(UNLOCK);
__attribute__((swiftcall)) void contended_mutex_unlock(__attribute__((swift_context)) void *mutex) {
  unlock_function *unlock = (unlock_function *)of_library(UNLOCK);
  __tsan_release(mutex);
  unlock(mutex);
}

#endif
#endif
