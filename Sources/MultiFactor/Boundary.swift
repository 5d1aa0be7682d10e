import CSpawn
import Dispatch
import Glibc
import HelperProtocol
import Secrets

extension MultiFactorError {
  /// The system's words for an error number.
  static func text(of number: Int32) -> String {
    // SAFETY: the C library returns a string that lives for ever, or null.
    guard let text = unsafe cspawn_error_text(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}

/// Runs an actor's work on a queue of its own, where waiting for the helper holds up nobody else.
final class HelperExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "MultiFactor.HelperExecutor")

  func enqueue(_ job: consuming ExecutorJob) {
    // SAFETY: the job runs once, here, on the executor that it was given to.
    let job = UnownedJob(job)
    let executor = unsafe asUnownedSerialExecutor()
    queue.async { unsafe job.runSynchronously(on: executor) }
  }
}

/// The two ends of the pipes to a helper, and the helper itself. When the value ends, the pipes are
/// closed, which ends the helper, and the helper is waited for.
struct HelperPipes: ~Copyable, Sendable {
  /// What the helper writes.
  private let responses: Int32
  /// What the helper reads.
  private let requests: Int32
  /// The helper's process, or nil when somebody else looks after it.
  private let process: pid_t?

  /// Takes two open descriptors over.
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
    // SAFETY: `status` is written by the call and outlives it. A host that ignores SIGCHLD has
    // reaped the process already (ECHILD).
    while unsafe waitpid(process, &status, 0) < 0 && cspawn_errno() == EINTR {}
  }

  /// Starts the helper with two pipes, no environment, no other descriptor and no ignored signal.
  init(starting path: String) throws(MultiFactorError) {
    let requests = try Pipe.make()
    let responses = try Pipe.make()

    // SAFETY: libc initialises and destroys the two objects, each once; they do not move between.
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

    // SAFETY: the strings are copied by the calls; all objects are initialised.
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
    // SAFETY: both strings are NUL-terminated and live until the call returns, and so do the two
    // arrays, which end with null.
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

  /// Writes one message, whole.
  func send(_ message: borrowing SecretBytes) throws(MultiFactorError) {
    let pipe = requests
    var sent = 0
    let guardian = BrokenPipeGuardian()
    while sent < message.count {
      let rest = message.span.extracting(droppingFirst: sent)
      // SAFETY: the buffer is valid for the call.
      let count = unsafe rest.withUnsafeBufferPointer { unsafe write(pipe, $0.baseAddress, $0.count) }
      if count < 0 && cspawn_errno() == EINTR { continue }
      guard count > 0 else {
        guardian.swallow()
        throw .helperEnded
      }
      sent += count
    }
  }

  /// The next response that is neither a notice, which is told, nor a failure, which is thrown.
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

  /// Reads one message, whole.
  private func receive() throws(MultiFactorError) -> HelperResponse {
    let header = try receive(count: Frame.headerLength)
    let length: Int
    do throws(MessageRefusal) {
      length = try Frame.bodyLength(header: header.span)
    } catch {
      throw .protocolError
    }
    let body = try receive(count: length)
    do throws(MessageRefusal) {
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
        // SAFETY: the buffer is valid for the call, and there is room behind what was received.
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

/// A pipe whose ends nobody else inherits, and that are no standard stream, so that a program which
/// has closed its own starts a helper like any other.
private struct Pipe: ~Copyable {
  private(set) var readEnd: Int32
  private(set) var writeEnd: Int32

  static func make() throws(MultiFactorError) -> Pipe {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the call writes two descriptors to the array.
    guard unsafe cspawn_pipe(&ends, O_CLOEXEC) == 0 else {
      throw .helperUnavailable(errorNumber: cspawn_errno())
    }
    var pipe = Pipe(readEnd: ends[0], writeEnd: ends[1])
    pipe.readEnd = try raised(pipe.readEnd)
    pipe.writeEnd = try raised(pipe.writeEnd)
    return pipe
  }

  private init(readEnd: Int32, writeEnd: Int32) {
    self.readEnd = readEnd
    self.writeEnd = writeEnd
  }

  deinit {
    if readEnd >= 0 { close(readEnd) }
    if writeEnd >= 0 { close(writeEnd) }
  }

  consuming func takeReadEnd() -> Int32 {
    let end = readEnd
    readEnd = -1
    return end
  }

  consuming func takeWriteEnd() -> Int32 {
    let end = writeEnd
    writeEnd = -1
    return end
  }

  private static func raised(_ descriptor: Int32) throws(MultiFactorError) -> Int32 {
    guard descriptor <= STDERR_FILENO else { return descriptor }
    let raised = cspawn_duplicate(descriptor, STDERR_FILENO + 1)
    guard raised >= 0 else { throw .helperUnavailable(errorNumber: cspawn_errno()) }
    close(descriptor)
    return raised
  }
}

/// Keeps SIGPIPE from this thread while it writes to a helper that may have ended: a library must
/// neither die of it nor change what the program does about it.
private struct BrokenPipeGuardian: ~Copyable {
  private var before: sigset_t
  private let signal: sigset_t

  init() {
    // SAFETY: the sets are initialised by the calls before they are used.
    var signal = sigset_t()
    unsafe sigemptyset(&signal)
    unsafe sigaddset(&signal, SIGPIPE)
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
    self.signal = signal
    self.before = before
  }

  /// Takes the signal away that a failed write has left, unless somebody waits for it.
  func swallow() {
    var signal = signal
    var now = timespec(tv_sec: 0, tv_nsec: 0)
    // SAFETY: all objects are initialised and outlive the call.
    guard unsafe sigismember(&signal, SIGPIPE) == 1 else { return }
    _ = unsafe sigtimedwait(&signal, nil, &now)
  }

  deinit {
    var before = before
    // SAFETY: the set is the one that `init` was given by the system.
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
