// The functions of libcurl. curl_easy_setopt and curl_easy_getinfo take arguments of any type, which Swift
// cannot pass: each function here takes one type.
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_headers(CURL *handle, const struct curl_slist *headers) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode ccurl_set_body(CURL *handle, const void *body) {
  return curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body);
}

static inline CURLcode ccurl_set_writer(CURL *handle, curl_write_callback writer) {
  return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
}

static inline CURLcode ccurl_set_writer_context(CURL *handle, void *context) {
  return curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline CURLcode ccurl_get_number(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_time(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_socket(CURL *handle, curl_socket_t *value) {
  return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}

// Returns the time in the field Date of the last answer, in seconds since the epoch, or -1 if it has no such field.
static inline time_t ccurl_get_date(CURL *handle) {
  struct curl_header *field;
  if (curl_easy_header(handle, "Date", 0, CURLH_HEADER, -1, &field) != CURLHE_OK) return -1;
  return curl_getdate(field->value, NULL);
}

// Whether libcurl needs no signal to stop looking up a name.
static inline int ccurl_needs_no_signal(void) {
  return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_ASYNCHDNS) != 0;
}
