import MFACPOSIX

/// A program that runs beside this process and talks to it through a socket, which is the program's
/// standard input and output. This process can be any PAM application. Destroying the value ends
/// the program.
///
/// MUST 1: the application receives no signal when the program ends, and finds no additional child
/// when it waits for any child. (`CompanionTests.unnoticed`)
/// MUST 2: the program inherits no descriptor, environment, working directory, or blocked or
/// ignored signal. (`CompanionTests.inheritsNothing`, `.signals`)
/// MUST 3: no process is left after the value is destroyed, however long the program would run.
/// (`CompanionTests.stubbornProgramIsKilled`)
/// MUST 4: if the program ends early, the only consequence is an error. (`CompanionTests.ended`)
package final class SupervisedProgram {
  private let link: Int32
  /// The process that starts and supervises the program (program.h in CPOSIX explains why).
  private let supervisor: pid_t
  /// The supervisor's exit status, once it has been waited for.
  private var status: Int32?

  /// The result of an attempt to receive bytes.
  package enum Reception: Equatable, Sendable {
    /// All requested bytes arrived.
    case complete
    /// The program closed the stream, so it has ended.
    case ended
    /// The time ran out.
    case silent
  }

  /// How long the program may take to end after the stream is closed, in milliseconds, before it is
  /// killed. The supervisor then has the same time before it is killed too.
  private static let patience = 1000

  /// Starts the program at `path`, with `name` as its argument 0.
  ///
  /// The file at `path` is not checked: the program gets no privilege that the user who runs this
  /// process does not have, and a user who can replace the file can replace this code too.
  ///
  /// Embedded Swift leaks an object whose designated initialiser throws. This convenience
  /// initialiser throws before an object exists.
  package convenience init(path: [UInt8], name: StaticString) throws(SystemError) {
    var link: Int32 = -1
    // SAFETY: the path ends with a NUL and outlives the call, as does the literal. The call writes
    // `link`.
    let supervisor = name.withUTF8Buffer { name -> pid_t in
      guard let name = name.baseAddress else { return -1 }
      return unsafe cposix_start_supervised(
        cString(path), UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self), &link)
    }
    guard supervisor > 0 else { throw SystemError.last(.process) }
    self.init(link, supervisor)
  }

  private init(_ link: Int32, _ supervisor: pid_t) {
    self.link = link
    self.supervisor = supervisor
  }

  deinit {
    _ = close(link)
    _ = waitForEnd()
  }

  /// Sends all of `bytes`.
  package func send(_ bytes: Span<UInt8>) throws(SystemError) {
    var sent = 0
    while sent < bytes.count {
      let already = sent
      let count = try retrying(.write) {
        // SAFETY: the call reads at most the rest of the span. If the program has ended, SIGPIPE
        // must not end the host.
        unsafe bytes.withUnsafeBufferPointer { buffer in
          unsafe MFACPOSIX.send(
            link, buffer.baseAddress.map { unsafe $0 + already }, buffer.count - already,
            Int32(MSG_NOSIGNAL))
        }
      }
      guard count > 0 else { throw SystemError(.write, number: EIO) }
      sent += count
    }
  }

  /// Fills `bytes`, waiting at most `seconds` for all of them.
  package func receive(
    into bytes: inout MutableSpan<UInt8>, seconds: Int64
  ) throws(SystemError) -> Reception {
    let deadline = try Clock.sinceBoot() &+ seconds
    var filled = 0
    while filled < bytes.count {
      guard try isReadable(until: deadline) else { return .silent }
      let read: Int
      do throws(SystemError) {
        read = try readPart(of: &bytes, from: filled, of: link)
      } catch {
        // The program ended without reading everything that was sent to it.
        guard error.isBrokenPipe else { throw error }
        return .ended
      }
      guard read > 0 else { return .ended }
      filled += read
    }
    return .complete
  }

  /// Returns whether the stream becomes readable by `deadline`, in seconds since the machine was
  /// started.
  private func isReadable(until deadline: Int64) throws(SystemError) -> Bool {
    var request = pollfd(fd: link, events: Int16(POLLIN), revents: 0)
    while true {
      let left = max(deadline &- (try Clock.sinceBoot()), 0)
      // Polls for one second at a time, so that signals that interrupt the wait do not extend it.
      // SAFETY: one structure, which outlives the call.
      let count = unsafe poll(&request, 1, left > 0 ? 1000 : 0)
      if count > 0 { return true }
      guard count == 0 || cposix_errno() == EINTR else { throw SystemError.last(.poll) }
      guard left > 0 else { return false }
    }
  }

  /// Returns why the program could not be started, or nil if it was started. Waits for the program
  /// to end, so call it only after the stream has ended.
  package func startFailure() -> SystemError? {
    let status = waitForEnd()
    let base = Int32(truncatingIfNeeded: CPOSIX_NOT_STARTED)
    guard status >= base else { return nil }
    return SystemError(.process, number: status &- base)
  }

  /// Waits for the program and its supervisor to end. After `patience`, sends SIGTERM, on which the
  /// supervisor kills the program. After the same time again, kills the supervisor. Returns the
  /// supervisor's exit status, or 0 if other code has already waited for it or it does not end.
  private func waitForEnd() -> Int32 {
    if let status { return status }
    for signal in [0, SIGTERM, SIGKILL] {
      if signal != 0 { _ = kill(supervisor, signal) }
      for _ in 0..<Self.patience {
        if let status = endStatus() {
          self.status = status
          return status
        }
        Clock.pause(milliseconds: 1)
      }
    }
    // A process that survives SIGKILL is stuck in the kernel.
    return 0
  }

  /// Returns the supervisor's exit status (1 if it was killed), 0 if other code has already waited
  /// for it, and nil while it runs. Does not wait.
  private func endStatus() -> Int32? {
    var status: Int32 = 0
    // SAFETY: the call writes `status`, which outlives it.
    let ended = unsafe waitpid(supervisor, &status, Int32(__WALL) | WNOHANG)
    guard ended != 0 else { return nil }
    guard ended == supervisor else { return 0 }
    return switch ProgramEnd(status) {
    case .exited(let status): status
    case .killed: 1
    }
  }
}
