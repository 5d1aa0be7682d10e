import CPOSIX

/// A program that runs beside this process, which may be anybody's, and talks to it through a socket
/// that is the program's standard input and output. It is ended when the value ends.
///
/// MUST 1: the process is told of the program's end by no signal, and finds no child of its own making
/// when it waits for any. (`CompanionTests.unnoticed`)
/// MUST 2: the program inherits nothing: no descriptor, environment, directory, blocked or ignored
/// signal. (`CompanionTests.inheritsNothing`, `.signals`)
/// MUST 3: nothing is left when the value has ended, however long the program would run.
/// (`CompanionTests.nothingIsLeft`)
/// MUST 4: a program that has ended costs no more than an error. (`CompanionTests.ended`)
public final class Companion {
  private let link: Int32
  private let minder: pid_t
  /// The minder's exit status, once it has been waited for.
  private var status: Int32?

  /// What became of an attempt to receive.
  public enum Reception: Equatable, Sendable {
    /// All that was asked for is there.
    case complete
    /// The program has closed the stream: it has ended.
    case ended
    /// The time is over.
    case silent
  }

  /// How long the program may take to end once the stream is closed, in milliseconds, before it is
  /// killed; and then the minder, before that is killed too.
  private static let patience = 1000

  /// Starts the program at `path`, which calls itself `name`.
  ///
  /// Whether that is the program it should be is not looked at: it gets no privilege that the caller
  /// of this process does not have anyway, and who can replace the file can replace this code.
  ///
  /// Embedded Swift leaks an object whose designated initialiser throws: this one throws before there is
  /// an object.
  public convenience init(path: [UInt8], name: StaticString) throws(SystemError) {
    let path = path.map { CChar(bitPattern: $0) } + [0]
    var link: Int32 = -1
    // SAFETY: the path ends with a NUL and outlives the call, and so does the literal; `link` is
    // written by the call.
    let minder = unsafe path.withUnsafeBufferPointer { path in
      name.withUTF8Buffer { name -> pid_t in
        guard let path = path.baseAddress, let name = name.baseAddress else { return -1 }
        return unsafe cposix_start_companion(
          path, UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self), &link)
      }
    }
    guard minder > 0 else { throw SystemError.last(.process) }
    self.init(link, minder)
  }

  private init(_ link: Int32, _ minder: pid_t) {
    self.link = link
    self.minder = minder
  }

  deinit {
    _ = close(link)
    _ = waitForEnd()
  }

  /// Sends all of `bytes`.
  public func send(_ bytes: Span<UInt8>) throws(SystemError) {
    var sent = 0
    while sent < bytes.count {
      let already = sent
      let count = try retrying(.write) {
        // SAFETY: the call reads at most the rest of the span.
        unsafe bytes.withUnsafeBufferPointer { buffer in
          unsafe cposix_send(
            link, buffer.baseAddress.map { unsafe $0 + already }, buffer.count - already)
        }
      }
      guard count > 0 else { throw SystemError(.write, number: EIO) }
      sent += count
    }
  }

  /// Fills `bytes`, waiting for at most `seconds` for all of it.
  public func receive(
    into bytes: inout MutableSpan<UInt8>, seconds: Int64
  ) throws(SystemError) -> Reception {
    let deadline = try Clock.sinceBoot() &+ seconds
    var filled = 0
    while filled < bytes.count {
      guard try isReadable(until: deadline) else { return .silent }
      let already = filled
      let read: Int
      do throws(SystemError) {
        read = try retrying(.read) {
          // SAFETY: the call writes at most the rest of the span.
          unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe CPOSIX.read(
              link, buffer.baseAddress.map { unsafe $0 + already }, buffer.count - already)
          }
        }
      } catch {
        // It has ended without having read all that it was sent.
        guard error.isBrokenPipe else { throw error }
        return .ended
      }
      guard read > 0 else { return .ended }
      filled += read
    }
    return .complete
  }

  /// `deadline` is in seconds since the machine was started.
  private func isReadable(until deadline: Int64) throws(SystemError) -> Bool {
    var request = pollfd(fd: link, events: Int16(POLLIN), revents: 0)
    while true {
      let left = max(deadline &- (try Clock.sinceBoot()), 0)
      // A second at a time: a signal that interrupts the wait does not make it longer.
      // SAFETY: one structure, which outlives the call.
      let count = unsafe poll(&request, 1, left > 0 ? 1000 : 0)
      if count > 0 { return true }
      guard count == 0 || cposix_errno() == EINTR else { throw SystemError.last(.poll) }
      guard left > 0 else { return false }
    }
  }

  /// Why the program could not be started, or nil where it could. Waits for the program's end: it is
  /// meant for when the stream has ended.
  public func startFailure() -> SystemError? {
    let status = waitForEnd()
    let base = Int32(truncatingIfNeeded: COMPANION_NOT_STARTED)
    guard status >= base else { return nil }
    return SystemError(.process, number: status &- base)
  }

  /// Waits for the end of the program and of its minder; has the former killed after a while, then
  /// kills the latter. The minder's exit status; one that somebody else has waited for is unknown: 0.
  private func waitForEnd() -> Int32 {
    if let status { return status }
    for signal in [0, SIGTERM, SIGKILL] {
      if signal != 0 { _ = kill(minder, signal) }
      for _ in 0..<Self.patience {
        let status = cposix_minder_status(minder)
        if status != -1 {
          self.status = max(status, 0)
          return max(status, 0)
        }
        Clock.pause(milliseconds: 1)
      }
    }
    // A process that SIGKILL does not end hangs in the kernel.
    return 0
  }
}
