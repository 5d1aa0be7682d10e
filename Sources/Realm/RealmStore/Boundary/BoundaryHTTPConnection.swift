import MFACCURL
import MFACPOSIX
import MFAStore

/// A client of HTTP with at most one open connection, which is kept for the next request. A request waits
/// until its time is over (libcurl).
///
/// MUST 1: a member's certificate is verified, and no answer comes from a proxy or another address than
/// the one asked (`EtcdSecurityTests.otherAuthorityIsRefused`, `EtcdSessionTests.redirectionIsNotFollowed`).
/// MUST 2: an answer that is longer than `longestAnswer` is refused
/// (`EtcdSessionTests.longAnswerIsRefused`).
/// MUST 3: a request is reported as not sent only if no byte of it was sent
/// (`EtcdSessionTests.lostRequestIsNotRepeated`).
@safe
final class HTTPConnection {
  /// The maximum length of an answer in bytes.
  static let longestAnswer = 4 << 20

  /// A client's certificate and the authorities of servers; paths of PEM files.
  struct Credentials: Equatable {
    var certificate: String?
    var key: String?
    var authority: String?
  }

  /// The body of an answer as it arrives.
  private final class Body {
    var bytes: [UInt8] = []
    var isTooLong = false
  }

  private let handle: UnsafeMutableRawPointer
  private let headers: UnsafeMutablePointer<curl_slist>
  private let body = Body()
  /// The process that created this object.
  private let process = getpid()
  /// Whether a connection was left open by the last request. libcurl sends a request once more if such a
  /// connection turns out to be lost.
  private var isOpen = false

  /// Whether libcurl is initialised, and looks up names without signals: a worker's alarm is its own.
  private static let isUsable: Bool = {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return false }
    return ccurl_needs_no_signal() != 0
  }()

  /// Creates a client without a connection. Returns nil if memory is exhausted, or libcurl cannot be used.
  init?(_ credentials: Credentials) {
    // SAFETY: libcurl returns a new handle, or null.
    guard Self.isUsable, let handle = unsafe curl_easy_init() else { return nil }
    // SAFETY: libcurl copies the strings, and returns the list, or null.
    guard
      let headers = unsafe curl_slist_append(
        curl_slist_append(nil, "Content-Type: application/json"), "Expect:")
    else {
      // SAFETY: nothing uses the handle after this.
      unsafe curl_easy_cleanup(handle)
      return nil
    }
    // SAFETY: this object owns the handle and the list, which only `deinit` frees.
    unsafe (self.handle, self.headers) = (handle, headers)
    guard configure(credentials) else { return nil }
  }

  deinit {
    if process != getpid() {
      // This process is a copy, and its parent still uses the connection: no TLS message may be sent.
      // libcurl has no other function that frees the memory.
      var socket: curl_socket_t = -1
      // SAFETY: the handle is valid. The descriptor is a copy that belongs to this process.
      if unsafe ccurl_get_socket(handle, &socket) == CURLE_OK, socket >= 0 { _ = close(socket) }
      return
    }
    // SAFETY: `init` created both, and nothing uses them after this.
    unsafe curl_easy_cleanup(handle)
    // SAFETY: as above.
    unsafe curl_slist_free_all(headers)
  }

  /// Whether this process created the object.
  var isOfThisProcess: Bool { process == getpid() }

  private func set(_ option: CURLoption, _ value: Int) -> Bool {
    // SAFETY: the handle is valid, and all callers name options that take a number.
    unsafe ccurl_set_number(handle, option, value) == CURLE_OK
  }

  private func set(_ option: CURLoption, _ value: String?) -> Bool {
    // SAFETY: the handle is valid, and all callers name options that take a string. libcurl copies it.
    unsafe ccurl_set_text(handle, option, value) == CURLE_OK
  }

  private func configure(_ credentials: Credentials) -> Bool {
    let protocols = credentials.authority == nil ? "http" : "https"
    guard set(CURLOPT_POST, 1), set(CURLOPT_PROTOCOLS_STR, protocols), set(CURLOPT_PROXY, ""),
      set(CURLOPT_FOLLOWLOCATION, 0), set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
      set(CURLOPT_MAXCONNECTS, 1), set(CURLOPT_TCP_KEEPALIVE, 1), set(CURLOPT_SSL_VERIFYPEER, 1),
      set(CURLOPT_SSL_VERIFYHOST, 2), set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
      set(CURLOPT_CAPATH, nil), set(CURLOPT_CAINFO, credentials.authority),
      set(CURLOPT_SSLCERT, credentials.certificate), set(CURLOPT_SSLKEY, credentials.key)
    else { return false }
    // SAFETY: the handle is valid, and the list lives as long as it.
    guard unsafe ccurl_set_headers(handle, headers) == CURLE_OK else { return false }
    // SAFETY: libcurl calls the function only within `curl_easy_perform`. `body` lives as long as the
    // handle.
    return unsafe ccurl_set_writer_context(handle, Unmanaged.passUnretained(body).toOpaque())
      == CURLE_OK
      && ccurl_set_writer(
        handle,
        { data, size, count, context in
          // SAFETY: the context is the one passed above. libcurl passes `size * count` readable bytes, and
          // the size is always 1.
          guard let data = unsafe data, let context = unsafe context else { return 0 }
          // SAFETY: as above.
          let body = unsafe Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
          guard size == 1, count <= HTTPConnection.longestAnswer - body.bytes.count else {
            body.isTooLong = true
            return 0
          }
          // SAFETY: as above.
          unsafe body.bytes.append(contentsOf: UnsafeRawBufferPointer(start: data, count: count))
          return count
        }) == CURLE_OK
  }

  /// How a request ended.
  enum Outcome {
    case answered(Answer)
    /// No connection was made, so nothing of the request was sent. The value says why.
    case notSent(String)
    /// The time was over, the connection was lost, or the answer was refused. The server may have received the request.
    case lost(String, EngineError)
  }

  /// What a server answered.
  struct Answer {
    /// The status code of HTTP.
    let status: Int
    /// The time by the clock of the server, in seconds since the epoch (RFC 9110, section 6.6.1); 0 if it tells none.
    let time: Int64
    let body: [UInt8]
    /// Whether a connection was opened for the request.
    let isNewConnection: Bool
  }

  /// Sends a request, and waits for the answer.
  ///
  /// - Parameters:
  ///   - url: the address, which libcurl parses.
  ///   - content: the body.
  ///   - milliseconds: how long everything may take, at least 1.
  ///   - connecting: how long a new connection may take, at least 1.
  /// - Returns: how the request ended.
  func post(
    _ url: String, _ content: [UInt8], milliseconds: Int, connecting: Int
  ) -> Outcome {
    (body.bytes, body.isTooLong) = ([], false)
    let wasOpen = isOpen
    isOpen = false
    guard set(CURLOPT_URL, url), set(CURLOPT_TIMEOUT_MS, max(milliseconds, 1)),
      set(CURLOPT_CONNECTTIMEOUT_MS, max(connecting, 1)),
      set(CURLOPT_POSTFIELDSIZE, content.count)
    else { return .notSent("out of memory") }
    // SAFETY: the buffer lives during the request, and libcurl only reads as many bytes as it was told.
    let code = unsafe content.withUnsafeBytes { buffer in
      unsafe ccurl_set_body(handle, buffer.baseAddress) == CURLE_OK
        ? curl_easy_perform(handle) : CURLE_OUT_OF_MEMORY
    }
    guard code == CURLE_OK else { return failure(code, wasOpen: wasOpen) }
    var (status, connections) = (0, 0)
    // SAFETY: the handle is valid, and both calls write a number that outlives them.
    guard
      unsafe ccurl_get_number(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK
        && ccurl_get_number(handle, CURLINFO_NUM_CONNECTS, &connections) == CURLE_OK
    else { return .lost("out of memory", .unreachable) }
    // SAFETY: the handle is valid.
    let time = unsafe ccurl_get_date(handle)
    isOpen = true
    return .answered(
      Answer(
        status: status, time: max(Int64(time), 0), body: body.bytes,
        isNewConnection: connections != 0))
  }

  private func failure(_ code: CURLcode, wasOpen: Bool) -> Outcome {
    if body.isTooLong { return .lost("the answer is too long", .unreachable) }
    // SAFETY: libcurl returns a constant string.
    let message = unsafe String(cString: curl_easy_strerror(code))
    var sending: curl_off_t = 0
    // SAFETY: the handle is valid, and the call writes a number that outlives it.
    let isKnown =
      unsafe ccurl_get_time(handle, CURLINFO_PRETRANSFER_TIME_T, &sending) == CURLE_OK
    if !wasOpen, isKnown, sending == 0 { return .notSent(message) }
    return code == CURLE_OPERATION_TIMEDOUT
      ? .lost("no answer in time", .deadline) : .lost(message, .unreachable)
  }
}
