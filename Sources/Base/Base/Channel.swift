import MFACPOSIX

/// The connection to the client: the standard input and standard output of this process.
package struct Channel: Sendable {
  /// Creates the channel. Opens nothing.
  package init() {}

  /// Fills `bytes`, waiting at most `seconds` for all of them.
  ///
  /// Both descriptors may be non-blocking: the client can share their open file descriptions, so
  /// the client controls that mode.
  ///
  /// - Returns: false if the stream ended or the time ran out before `bytes` was full.
  package func receive(
    into bytes: inout MutableSpan<UInt8>, seconds: Int32
  ) throws(SystemError) -> Bool {
    let deadline = try Clock.sinceBoot() &+ Int64(seconds)
    var filled = 0
    while filled < bytes.count {
      let left = deadline &- (try Clock.sinceBoot())
      guard try isReady(STDIN_FILENO, POLLIN, seconds: left) else { return false }
      let read = try untilReady { () throws(SystemError) in
        try readPart(of: &bytes, from: filled, of: STDIN_FILENO)
      }
      guard let read else { continue }
      guard read > 0 else { return false }
      filled += read
    }
    return true
  }

  private func isReady(
    _ descriptor: Int32, _ event: Int32, seconds: Int64?
  ) throws(SystemError) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: event), revents: 0)
    // A negative number stands for no limit.
    let milliseconds = seconds.map { Int32(clamping: min(max($0, 0), 1_000_000) &* 1000) } ?? -1
    // SAFETY: one structure, which outlives the call.
    let count = try retrying(.poll) { unsafe poll(&request, 1, milliseconds) }
    return count > 0
  }

  /// Returns the number of bytes that a call read or wrote. Returns nil if the descriptor is
  /// non-blocking and another process has taken the bytes or the space.
  private func untilReady(
    _ body: () throws(SystemError) -> Int
  ) throws(SystemError) -> Int? {
    do throws(SystemError) {
      return try body()
    } catch {
      guard error.isBusy else { throw error }
      return nil
    }
  }

  /// How long the other end may take to read, in seconds.
  private static var sendingTime: Int64 { 60 }

  /// Sends all of `bytes`, waiting at most a minute for each part.
  package func send(_ bytes: Span<UInt8>) throws(SystemError) {
    try send(bytes, seconds: Self.sendingTime)
  }

  /// Sends all of `bytes`, waiting for each part at most `seconds`, or without limit if it is nil.
  package func send(_ bytes: Span<UInt8>, seconds: Int64?) throws(SystemError) {
    var sent = 0
    while sent < bytes.count {
      guard try isReady(STDOUT_FILENO, POLLOUT, seconds: seconds) else {
        throw .busy(.write)
      }
      let count = try untilReady { () throws(SystemError) in
        try writePart(of: bytes, from: sent, to: STDOUT_FILENO)
      }
      guard let count else { continue }
      guard count > 0 else { throw SystemError(.write, number: EIO) }
      sent += count
    }
  }
}
