import Glibc
import MFABase
import MFAWire

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
    do throws(SystemError) {
      _ = try ProgramEnd.wait(for: process)
    } catch {
      // If this process ignores SIGCHLD, the kernel has already reaped the helper (ECHILD).
    }
  }

  /// Starts the helper with two pipes, an empty environment, no other descriptors and no ignored
  /// signals, in a process group of its own: a key such as Ctrl-C is for this program, which ends the
  /// helper.
  init(starting path: String) throws(MultiFactorError) {
    do throws(SystemError) {
      let requests = try PipeEnds()
      let responses = try PipeEnds()
      var helper = ProgramStart(Array(path.utf8), arguments: [Array("mfa-helper".utf8)])
      helper.input = requests.readEnd
      helper.output = responses.writeEnd
      helper.isInNewGroup = true
      let process = try helper.start()
      self.init(
        responses: responses.takeReadEnd(), requests: requests.takeWriteEnd(), process: process)
    } catch {
      throw .helperUnavailable(errorNumber: error.number)
    }
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
    let signalBlock = BrokenPipeSignalBlock()
    do throws(SystemError) { try writeAll(message.span, to: requests) } catch {
      signalBlock.discardPendingSignal()
      guard error.isBrokenPipe else { throw .helperEnded }
    }
  }

  /// Returns the next response that is neither a notice nor a failure. Passes notices to `tell` and
  /// throws failures.
  func receive(tell: (String) -> Void) throws(MultiFactorError) -> HelperResponse {
    while true {
      let response = try receive()
      guard let interruption = response.interruption else { return response }
      switch interruption {
      case .failed(let failure): throw MultiFactorError(failure)
      case .notice(let text): tell(String(decoding: text.utf8, as: UTF8.self))
      }
    }
  }

  /// Reads one whole message.
  private func receive() throws(MultiFactorError) -> HelperResponse {
    let header = try receive(count: Frame.headerLength)
    let length: Int
    do throws(PacketError) {
      length = try Frame.bodyLength(header: header.span)
    } catch {
      throw .protocolError
    }
    let body = try receive(count: length)
    do throws(PacketError) {
      return try HelperResponse(body: body.span)
    } catch {
      throw .protocolError
    }
  }

  private func receive(count: Int) throws(MultiFactorError) -> SecretBytes {
    var bytes = SecretBytes(count: count)
    do throws(SystemError) {
      let received = try bytes.withMutableSpan { bytes throws(SystemError) in
        try readAll(into: &bytes, from: responses)
      }
      guard received == count else { throw SystemError(.read, number: EPIPE) }
    } catch {
      throw .helperEnded
    }
    return bytes
  }
}

/// An executor that runs an actor's work on its own thread, so that waiting for the helper blocks no
/// other task.
final class HelperExecutor: SerialExecutor {
  private let thread = WorkerThread()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // SAFETY: the executor belongs to the actor, which the job keeps alive.
    let executor = unsafe asUnownedSerialExecutor()
    // SAFETY: the job runs once, on the executor that it was given to.
    thread.add { unsafe job.runSynchronously(on: executor) }
  }
}

extension MultiFactor {
  /// The actor's own thread, on which it waits for the helper.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    // SAFETY: the actor owns the executor and keeps it alive.
    unsafe executor.asUnownedSerialExecutor()
  }
}

/// A scope in which SIGPIPE is blocked in this thread, for writes to a helper that may have ended.
/// A library must neither let the signal end the program nor change how the program handles it.
struct BrokenPipeSignalBlock: ~Copyable {
  private var before: sigset_t
  private let signal: sigset_t
  /// Whether a SIGPIPE was pending before, which is the program's own.
  private let wasPending: Bool

  init() {
    var signal = sigset_t()
    // SAFETY: the call initialises the set.
    unsafe sigemptyset(&signal)
    // SAFETY: the set is initialised.
    unsafe sigaddset(&signal, SIGPIPE)
    var before = sigset_t()
    // SAFETY: the call reads the initialised set, and initialises the other one.
    unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
    var pending = sigset_t()
    // SAFETY: the call initialises the set.
    unsafe sigpending(&pending)
    // SAFETY: the set is initialised.
    wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
    self.signal = signal
    self.before = before
  }

  /// Discards the SIGPIPE that a failed write left pending in this thread. A signal that was
  /// pending before stays pending.
  func discardPendingSignal() {
    guard !wasPending else { return }
    var signal = signal
    var now = timespec(tv_sec: 0, tv_nsec: 0)
    // SAFETY: both objects are initialised and outlive the call.
    _ = unsafe sigtimedwait(&signal, nil, &now)
  }

  deinit {
    var before = before
    // SAFETY: the set is the one that the system returned in `init`.
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
