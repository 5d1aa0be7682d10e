#include "cdbus.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// The part of systemd/sd-bus.h that is used here, as sd-bus(3) documents it. libsystemd keeps its
// binary interface within version 0. Declared here so that a build needs no headers of systemd.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct {
  const char *name;
  const char *message;
  int need_free;
} sd_bus_error;
typedef int (*sd_bus_message_handler_t)(sd_bus_message *, void *, sd_bus_error *);

struct functions {
  int (*open_user)(sd_bus **);
  int (*get_unique_name)(sd_bus *, const char **);
  int (*match_signal)(sd_bus *, sd_bus_slot **, const char *, const char *, const char *,
                      const char *, sd_bus_message_handler_t, void *);
  int (*message_new_method_call)(sd_bus *, sd_bus_message **, const char *, const char *,
                                 const char *, const char *);
  int (*message_append)(sd_bus_message *, const char *, ...);
  int (*message_read)(sd_bus_message *, const char *, ...);
  int (*call)(sd_bus *, sd_bus_message *, uint64_t, sd_bus_error *, sd_bus_message **);
  int (*process)(sd_bus *, sd_bus_message **);
  int (*wait)(sd_bus *, uint64_t);
  void (*error_free)(sd_bus_error *);
  sd_bus_message *(*message_unref)(sd_bus_message *);
  sd_bus_slot *(*slot_unref)(sd_bus_slot *);
  sd_bus *(*flush_close_unref)(sd_bus *);
  // Since libsystemd 248; NULL in older versions.
  int (*message_sensitive)(sd_bus_message *);
};

static const char *const portal = "org.freedesktop.portal.Desktop";
static const uint64_t second = 1000000;

// Finds the functions. The library stays loaded, because sd-bus keeps thread-local state.
static bool load(struct functions *found) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == NULL) return false;
  const struct {
    const char *name;
    void *target;
    bool is_optional;
  } wanted[] = {
      {"sd_bus_open_user", &found->open_user, false},
      {"sd_bus_get_unique_name", &found->get_unique_name, false},
      {"sd_bus_match_signal", &found->match_signal, false},
      {"sd_bus_message_new_method_call", &found->message_new_method_call, false},
      {"sd_bus_message_append", &found->message_append, false},
      {"sd_bus_message_read", &found->message_read, false},
      {"sd_bus_call", &found->call, false},
      {"sd_bus_process", &found->process, false},
      {"sd_bus_wait", &found->wait, false},
      {"sd_bus_error_free", &found->error_free, false},
      {"sd_bus_message_unref", &found->message_unref, false},
      {"sd_bus_slot_unref", &found->slot_unref, false},
      {"sd_bus_flush_close_unref", &found->flush_close_unref, false},
      {"sd_bus_message_sensitive", &found->message_sensitive, true},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof wanted[0]; index++) {
    void *address = dlsym(library, wanted[index].name);
    if (address == NULL && !wanted[index].is_optional) return false;
    memcpy(wanted[index].target, &address, sizeof address);
  }
  return true;
}

// The request to the portal. Its response arrives as a signal.
struct request {
  const struct functions *bus;
  bool is_answered;
  // 0 if the request succeeded, 1 if the user cancelled, 2 otherwise.
  uint32_t response;
};

static int take_response(sd_bus_message *message, void *data, sd_bus_error *error) {
  (void)error;
  struct request *request = data;
  if (request->bus->message_read(message, "u", &request->response) < 0) request->response = 2;
  request->is_answered = true;
  return 0;
}

// The time since boot in microseconds.
static uint64_t now(void) {
  struct timespec time = {0};
  (void)clock_gettime(CLOCK_BOOTTIME, &time);
  return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec / 1000;
}

static bool is_named(const sd_bus_error *error, const char *name) {
  return error->name != NULL && strcmp(error->name, name) == 0;
}

// Returns why a call failed.
static int reason(const sd_bus_error *error) {
  static const char *const absent[] = {
      "org.freedesktop.DBus.Error.ServiceUnknown",   "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.DBus.Error.UnknownObject",
      "org.freedesktop.DBus.Error.UnknownMethod",
  };
  for (size_t index = 0; index < sizeof absent / sizeof absent[0]; index++) {
    if (is_named(error, absent[index])) return cdbus_no_portal;
  }
  if (is_named(error, "org.freedesktop.DBus.Error.NoReply")) return cdbus_timed_out;
  return cdbus_no_handler;
}

// Sends the request. The portal answers at once with the path of the request.
static int send(const struct functions *bus, sd_bus *connection, const char *uri,
                              const char *token, uint64_t timeout) {
  sd_bus_message *message = NULL;
  sd_bus_message *reply = NULL;
  sd_bus_error error = {0};
  int result = cdbus_no_handler;
  if (bus->message_new_method_call(connection, &message, portal, "/org/freedesktop/portal/desktop",
                                   "org.freedesktop.portal.OpenURI", "OpenURI") < 0) {
    return cdbus_no_bus;
  }
  if (bus->message_sensitive != NULL) (void)bus->message_sensitive(message);
  if (bus->message_append(message, "ssa{sv}", "", uri, 1, "handle_token", "s", token) >= 0) {
    result = bus->call(connection, message, timeout, &error, &reply) < 0 ? reason(&error)
                                                                         : cdbus_opened;
  }
  bus->error_free(&error);
  (void)bus->message_unref(reply);
  (void)bus->message_unref(message);
  return result;
}

// Waits for the response to the request.
static int wait_for(struct request *request, sd_bus *connection, uint64_t deadline) {
  while (!request->is_answered) {
    const int processed = request->bus->process(connection, NULL);
    if (processed < 0) return cdbus_no_bus;
    if (processed > 0) continue;
    const uint64_t time = now();
    if (time >= deadline) return cdbus_timed_out;
    // An interrupted wait is repeated.
    (void)request->bus->wait(connection, deadline - time);
  }
  switch (request->response) {
    case 0: return cdbus_opened;
    case 1: return cdbus_cancelled;
    default: return cdbus_no_handler;
  }
}

// Writes the path of the request, which the portal derives from the caller's name and the token:
// the name without its colon, with dots replaced. Returns whether it fits.
static bool write_path(char *path, size_t size, const char *name, const char *token) {
  const int length = snprintf(path, size, "/org/freedesktop/portal/desktop/request/%s/%s",
                              name[0] == ':' ? name + 1 : name, token);
  for (char *dot = path; (dot = strchr(dot, '.')) != NULL;) *dot = '_';
  return length > 0 && (size_t)length < size;
}

int cdbus_open_uri(const uint8_t *uri, const char *token, uint32_t seconds) {
  struct functions bus = {0};
  sd_bus *connection = NULL;
  sd_bus_slot *slot = NULL;
  const char *name = NULL;
  char path[256];
  if (!load(&bus)) return cdbus_no_library;
  if (bus.open_user(&connection) < 0) return cdbus_no_bus;
  const uint64_t timeout = seconds * second;
  const uint64_t deadline = now() + timeout;
  struct request request = {.bus = &bus};
  int result = cdbus_no_bus;
  if (bus.get_unique_name(connection, &name) >= 0 && write_path(path, sizeof path, name, token) &&
      bus.match_signal(connection, &slot, portal, path, "org.freedesktop.portal.Request",
                       "Response", take_response, &request) >= 0) {
    result = send(&bus, connection, (const char *)uri, token, timeout);
    if (result == cdbus_opened) result = wait_for(&request, connection, deadline);
  }
  (void)bus.slot_unref(slot);
  (void)bus.flush_close_unref(connection);
  return result;
}
