import MFACTestSupport

/// A listener for the kernel's audit records.
package final class KernelAuditTrail {
  private let socket: Descriptor

  /// Whether the kernel of this machine keeps audit records, which requires that it was built with
  /// auditing and that auditing is on. The private machine has no kernel of its own.
  package static let isKept: Bool = {
    do throws(HarnessFailure) {
      let trail = try KernelAuditTrail()
      let text = "is-kept=\(UInt64.random(in: 0...UInt64.max))"
      // The kernel replaces the last byte by a NUL.
      let bytes = Array(text.utf8) + [0]
      // SAFETY: the array lives during the call, which reads `count` bytes from it.
      guard unsafe ctest_write_audit(bytes, bytes.count) == 0 else { return false }
      return try trail.record(containing: text, until: .after(seconds: 2)) != nil
    } catch {
      return false
    }
  }()

  /// Starts listening for audit records.
  package init() throws(HarnessFailure) {
    socket = try Descriptor(takingOver: ctest_hear_audit(), from: "bind")
  }

  /// Returns the next record that contains `text`, or nil if none arrives by the deadline.
  package func record(
    containing text: String, until deadline: Deadline = .usual
  ) throws(HarnessFailure) -> String? {
    while ctest_readable(socket.number, -1, deadline.millisecondsLeft) > 0 {
      // Skips the message header.
      let record = String(decoding: try socket.readSome().dropFirst(16), as: UTF8.self)
      if record.contains(text) { return record }
    }
    return nil
  }
}
