import CPOSIX

/// A pair of pipes that the process was given as standard input and output.
public struct Channel: Sendable {
  /// The pair.
  public init() {}

  /// Fills `bytes`, waiting for at most `seconds` for each part.
  ///
  /// - Returns: false at the end of the stream, and when the time is over.
  public func receive(
    into bytes: inout MutableSpan<UInt8>, seconds: Int32
  ) throws(SystemError) -> Bool {
    var filled = 0
    while filled < bytes.count {
      guard try isReadable(seconds: seconds) else { return false }
      let already = filled
      let read = try retrying(.read) {
        // SAFETY: the call writes at most the rest of the span.
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
          unsafe CPOSIX.read(
            STDIN_FILENO, buffer.baseAddress.map { unsafe $0 + already }, buffer.count - already)
        }
      }
      guard read > 0 else { return false }
      filled += read
    }
    return true
  }

  private func isReadable(seconds: Int32) throws(SystemError) -> Bool {
    var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    // SAFETY: one structure, which outlives the call.
    let count = try retrying(.poll) {
      unsafe poll(&request, 1, seconds.multipliedReportingOverflow(by: 1000).partialValue)
    }
    return count > 0
  }

  /// Sends all of `bytes`.
  public func send(_ bytes: Span<UInt8>) throws(SystemError) {
    var sent = 0
    while sent < bytes.count {
      let already = sent
      let count = try retrying(.write) {
        // SAFETY: the call reads at most the rest of the span.
        unsafe bytes.withUnsafeBufferPointer { buffer in
          unsafe CPOSIX.write(
            STDOUT_FILENO, buffer.baseAddress.map { unsafe $0 + already }, buffer.count - already)
        }
      }
      guard count > 0 else { throw SystemError(.write, number: EIO) }
      sent += count
    }
  }
}
