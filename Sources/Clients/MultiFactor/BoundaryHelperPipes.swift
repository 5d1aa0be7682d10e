import MFABytes
import MFASecrets
import MFACSpawn
import Glibc
import MFAProtocol

/// The pipes to a helper, and the helper's process. Destroying the value closes the pipes, which
/// ends the helper, and waits for the helper to end.
struct HelperPipes: ~Copyable, Sendable {
  /// The pipe from which responses are read.
  private let responses: Int32
  /// The pipe to which requests are written.
  private let requests: Int32
  /// The helper's process id, or nil if other code waits for the process.
  private let process: pid_t?

  /// Takes ownership of two open descriptors.
  init(responses: Int32, requests: Int32, process: pid_t? = nil) {
    self.responses = responses
    self.requests = requests
    self.process = process
  }

  deinit {
    close(requests)
    close(responses)
    guard let process else { return }
    var status: Int32 = 0
    // SAFETY: the call writes `status`, which outlives it. If this process ignores SIGCHLD, the
    // kernel has already reaped the helper (ECHILD).
    while unsafe waitpid(process, &status, 0) < 0 && cspawn_errno() == EINTR {}
  }

  /// Starts the helper with two pipes, an empty environment, no other descriptors and no ignored
  /// signals.
  init(starting path: String) throws(MultiFactorError) {
    let requests = try Pipe.make()
    let responses = try Pipe.make()

    // SAFETY: libc initialises and destroys each of the two objects once; they do not move in
    // between.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var all = sigset_t()
    unsafe sigfillset(&all)
    let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)

    // SAFETY: the calls copy the strings; all objects are initialised.
    let prepared = unsafe [
      posix_spawn_file_actions_adddup2(&actions, requests.readEnd, STDIN_FILENO),
      posix_spawn_file_actions_adddup2(&actions, responses.writeEnd, STDOUT_FILENO),
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_RDWR, 0),
      cspawn_close_from(&actions, STDERR_FILENO + 1),
      posix_spawnattr_setsigmask(&attributes, &none),
      posix_spawnattr_setsigdefault(&attributes, &all),
      posix_spawnattr_setflags(&attributes, flags),
    ]
    if let failure = prepared.first(where: { $0 != 0 }) {
      throw .helperUnavailable(errorNumber: failure)
    }

    var process: pid_t = 0
    // SAFETY: both strings are NUL-terminated and outlive the call, as do the two arrays, which end
    // with null.
    let failure = unsafe path.withCString { path in
      unsafe "mfa-helper".withCString { name in
        var arguments = unsafe [UnsafeMutablePointer(mutating: name), nil]
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        return unsafe posix_spawn(
          &process, path, &actions, &attributes, &arguments, &environment)
      }
    }
    guard failure == 0 else { throw .helperUnavailable(errorNumber: failure) }
    self.init(
      responses: responses.takeReadEnd(), requests: requests.takeWriteEnd(), process: process)
  }

  /// Whether a message or the end of the stream can be read. Does not block.
  var hasSomethingToRead: Bool {
    var request = pollfd(fd: responses, events: Int16(POLLIN), revents: 0)
    // SAFETY: the call reads and writes one structure, which outlives it.
    return unsafe poll(&request, 1, 0) > 0
  }

  /// Writes one whole message. Returns normally if the helper has ended, because an earlier
  /// response may still be unread and may contain the reason.
  func send(_ message: borrowing SecretBytes) throws(MultiFactorError) {
    let pipe = requests
    var sent = 0
    let guardian = BrokenPipeSignalBlock()
    while sent < message.count {
      let rest = message.span.extracting(droppingFirst: sent)
      // SAFETY: the buffer is valid for the call.
      let count = unsafe rest.withUnsafeBufferPointer {
        unsafe write(pipe, $0.baseAddress, $0.count)
      }
      if count < 0 && cspawn_errno() == EINTR { continue }
      guard count > 0 else {
        let hasEnded = cspawn_errno() == EPIPE
        guardian.discardPendingSignal()
        guard hasEnded else { throw .helperEnded }
        return
      }
      sent += count
    }
  }

  /// Returns the next response that is neither a notice nor a failure. Passes notices to `tell` and
  /// throws failures.
  func receive(tell: (String) -> Void) throws(ConversationError) -> HelperResponse {
    while true {
      let response: HelperResponse
      do throws(MultiFactorError) {
        response = try receive()
      } catch {
        throw .broken(error)
      }
      switch response.interruption {
      case nil: return response
      case .failed(let failure): throw .failed(failure)
      case .notice(let text): tell(String(decoding: text.utf8, as: UTF8.self))
      }
    }
  }

  /// Reads one whole message.
  private func receive() throws(MultiFactorError) -> HelperResponse {
    let header = try receive(count: Frame.headerLength)
    let length: Int
    do throws(MessageError) {
      length = try Frame.bodyLength(header: header.span)
    } catch {
      throw .protocolError
    }
    let body = try receive(count: length)
    do throws(MessageError) {
      return try HelperResponse(body: body.span)
    } catch {
      throw .protocolError
    }
  }

  private func receive(count: Int) throws(MultiFactorError) -> SecretBytes {
    let pipe = responses
    var bytes = SecretBytes(count: count)
    var received = 0
    while received < count {
      let have = received
      let count = bytes.withMutableSpan { bytes in
        // SAFETY: the buffer is valid for the call and has room after the received bytes.
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
          unsafe read(pipe, buffer.baseAddress.map { unsafe $0 + have }, buffer.count - have)
        }
      }
      if count < 0 && cspawn_errno() == EINTR { continue }
      guard count > 0 else { throw .helperEnded }
      received += count
    }
    return bytes
  }
}
