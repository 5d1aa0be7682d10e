import MFACTestSupport
import Foundation
import Synchronization

/// The system log of the private machine: the messages sent to /dev/log, in order.
package final class SystemLog: Sendable {
  /// A position in the log.
  package struct Position: Sendable {
    fileprivate let index: Int
  }

  private static let path = "/dev/log"
  private static let started = Mutex<SystemLog?>(nil)
  private let entries = Mutex<[LogEntry]>([])
  private let socket: Int32

  /// Returns the log of this machine, which records from its first use until the tests end.
  package static func machine() throws(HarnessFailure) -> SystemLog {
    guard PrivateMachine.isHere else {
      throw HarnessFailure("the log can be read only in the private machine: run packaging/test")
    }
    let result = started.withLock { started in
      if let log = started { return Result<SystemLog, HarnessFailure>.success(log) }
      return Result { () throws(HarnessFailure) in
        let log = try SystemLog()
        started = log
        return log
      }
    }
    return try result.get()
  }

  private init() throws(HarnessFailure) {
    // SAFETY: the string lives during the call, which keeps nothing of it.
    socket = unsafe ctest_listen(Self.path)
    guard socket >= 0 else {
      throw HarnessFailure("listening at \(Self.path) failed: \(errorText(-socket))")
    }
    // A sender blocks if no process reads, so the log is read continuously.
    Thread.detachNewThread { self.listen() }
  }

  private func listen() {
    var datagram = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      // SAFETY: the call writes at most `count` bytes to the array.
      let count = unsafe ctest_read(socket, &datagram, datagram.count)
      guard count >= 0 else { return }
      let entry = LogEntry(Array(datagram[..<count]))
      entries.withLock { $0.append(entry) }
    }
  }

  /// Returns the position after all messages sent so far.
  package func position() throws(HarnessFailure) -> Position {
    let marker = "test-log-position-\(UUID().uuidString)"
    let bytes = Array(marker.utf8)
    // SAFETY: the string and the array live during the call; the count is the array's.
    let result = unsafe ctest_send(Self.path, bytes, bytes.count)
    guard result == 0 else {
      throw HarnessFailure("sending to \(Self.path) failed: \(errorText(-result))")
    }
    // Datagrams keep their order, so once the marker is read, everything sent before it has been
    // read.
    let deadline = Deadline.usual
    while !deadline.isOver {
      let index = entries.withLock { entries in
        entries.lastIndex { $0.bytes == bytes }.map { index in
          entries.remove(at: index)
          return index
        }
      }
      if let index { return Position(index: index) }
      _ = ctest_readable(-1, -1, 1)
    }
    throw HarnessFailure("the reader of the log has stopped")
  }

  /// Returns all messages sent since a position.
  package func entries(since start: Position) throws(HarnessFailure) -> [LogEntry] {
    let end = try position()
    return entries.withLock { Array($0[start.index..<max(end.index, start.index)]) }
  }

  /// Waits until a line that contains `text` has been sent; returns the first one.
  package func waitForEntry(
    containing text: String, since start: Position, until deadline: Deadline = .usual
  ) throws(HarnessFailure) -> LogEntry {
    while true {
      let entries = try entries(since: start)
      if let entry = entries.first(where: { $0.line.contains(text) }) { return entry }
      guard !deadline.isOver else {
        throw HarnessFailure(
          "no line with \"\(text)\" was logged by the deadline",
          evidence: [("log", entries.map(\.line).joined(separator: "\n"))])
      }
      _ = ctest_readable(-1, -1, 10)
    }
  }
}
