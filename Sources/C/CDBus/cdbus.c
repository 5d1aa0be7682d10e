#include "cdbus.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// The part of systemd/sd-bus.h that is used here, as sd-bus(3) documents it. libsystemd keeps its
// binary interface within version 0. Declared here so that a build needs no headers of systemd.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct {
  const char *name;
  const char *message;
  int need_free;
} sd_bus_error;

struct functions {
  int (*open_user)(sd_bus **);
  int (*open_system)(sd_bus **);
  int (*message_new_method_call)(sd_bus *, sd_bus_message **, const char *, const char *,
                                 const char *, const char *);
  int (*message_append)(sd_bus_message *, const char *, ...);
  int (*message_read)(sd_bus_message *, const char *, ...);
  int (*call)(sd_bus *, sd_bus_message *, uint64_t, sd_bus_error *, sd_bus_message **);
  void (*error_free)(sd_bus_error *);
  sd_bus_message *(*message_unref)(sd_bus_message *);
  sd_bus *(*flush_close_unref)(sd_bus *);
  // Since libsystemd 248; NULL in older versions.
  int (*message_sensitive)(sd_bus_message *);
};

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
      {"sd_bus_open_system", &found->open_system, false},
      {"sd_bus_message_new_method_call", &found->message_new_method_call, false},
      {"sd_bus_message_append", &found->message_append, false},
      {"sd_bus_message_read", &found->message_read, false},
      {"sd_bus_call", &found->call, false},
      {"sd_bus_error_free", &found->error_free, false},
      {"sd_bus_message_unref", &found->message_unref, false},
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

// Returns why a call failed.
static int reason(const sd_bus_error *error) {
  static const struct {
    const char *name;
    int reason;
  } reasons[] = {
      // sd_bus_call reports its own time-out as Timeout. NoReply comes from the bus: the app ended
      // before it replied.
      {"org.freedesktop.DBus.Error.Timeout", cdbus_timed_out},
      {"org.freedesktop.DBus.Error.TimedOut", cdbus_timed_out},
      {"org.freedesktop.DBus.Error.Disconnected", cdbus_no_bus},
      {"sbus.Error.NotFound", cdbus_no_account},
  };
  for (size_t index = 0; index < sizeof reasons / sizeof reasons[0]; index++) {
    if (error->name != NULL && strcmp(error->name, reasons[index].name) == 0) {
      return reasons[index].reason;
    }
  }
  return cdbus_no_app;
}

// Sends a message and waits for the reply, which must be released.
static int call(const struct functions *bus, sd_bus *connection, sd_bus_message *message,
                uint64_t microseconds, sd_bus_message **reply) {
  sd_bus_error error = {0};
  const int result = bus->call(connection, message, microseconds, &error, reply) < 0
                         ? reason(&error)
                         : cdbus_done;
  bus->error_free(&error);
  return result;
}

// Sends the request.
static int send(const struct functions *bus, sd_bus *connection, const char *app, const char *path,
                const uint8_t *uri, uint64_t microseconds) {
  sd_bus_message *message = NULL;
  sd_bus_message *reply = NULL;
  int result = cdbus_no_app;
  if (bus->message_new_method_call(connection, &message, app, path, "org.freedesktop.Application",
                                   "Open") < 0) {
    return cdbus_no_app;
  }
  if (bus->message_sensitive != NULL) (void)bus->message_sensitive(message);
  if (bus->message_append(message, "asa{sv}", 1, (const char *)uri, 0) >= 0) {
    result = call(bus, connection, message, microseconds, &reply);
  }
  (void)bus->message_unref(reply);
  (void)bus->message_unref(message);
  return result;
}

int cdbus_open_uri(const char *app, const char *path, const uint8_t *uri, uint64_t microseconds) {
  struct functions bus = {0};
  sd_bus *connection = NULL;
  if (!load(&bus)) return cdbus_no_library;
  if (bus.open_user(&connection) < 0) return cdbus_no_bus;
  const int result = send(&bus, connection, app, path, uri, microseconds);
  (void)bus.flush_close_unref(connection);
  return result;
}

// --- SSSD ---

#define SSSD "org.freedesktop.sssd.infopipe"

// Copies the value of the attribute from the reply, a dictionary that must have this attribute alone, with one value.
static int copy_value(const struct functions *bus, sd_bus_message *reply, const char *attribute,
                      char *value, size_t capacity) {
  const char *name = NULL;
  const char *text = NULL;
  if (bus->message_read(reply, "a{sv}", 1, &name, "as", 1, &text) <= 0) return cdbus_no_value;
  if (name == NULL || strcmp(name, attribute) != 0 || text == NULL) return cdbus_no_value;
  const size_t length = strlen(text);
  if (length == 0 || length >= capacity) return cdbus_no_value;
  memcpy(value, text, length + 1);
  return cdbus_done;
}

int cdbus_directory_value(const char *account, const char *attribute, char *value, size_t capacity,
                          uint64_t microseconds) {
  struct functions bus = {0};
  sd_bus *connection = NULL;
  sd_bus_message *message = NULL;
  sd_bus_message *reply = NULL;
  int result = cdbus_no_app;
  if (!load(&bus)) return cdbus_no_library;
  if (bus.open_system(&connection) < 0) return cdbus_no_bus;
  if (bus.message_new_method_call(connection, &message, SSSD, "/org/freedesktop/sssd/infopipe",
                                  SSSD, "GetUserAttr") >= 0 &&
      bus.message_append(message, "sas", account, 1, attribute) >= 0) {
    result = call(&bus, connection, message, microseconds, &reply);
    if (result == cdbus_done) result = copy_value(&bus, reply, attribute, value, capacity);
  }
  (void)bus.message_unref(reply);
  (void)bus.message_unref(message);
  (void)bus.flush_close_unref(connection);
  return result;
}
