import CTestSupport

/// The kernel's audit trail, heard as its records are made.
public final class KernelAuditTrail {
  private let socket: Descriptor

  /// Whether the kernel of this machine keeps records: whether it was made so, and auditing is on. The
  /// private machine has no kernel of its own.
  public static let isKept: Bool = {
    do throws(HarnessFailure) {
      let trail = try KernelAuditTrail()
      let text = "is-kept=\(UInt64.random(in: 0...UInt64.max))"
      // The kernel writes a NUL in the place of the last byte.
      let bytes = Array(text.utf8) + [0]
      // SAFETY: the array lives during the call, which reads `count` bytes from it.
      guard unsafe ctest_write_audit(bytes, bytes.count) == 0 else { return false }
      return try trail.record(containing: text, until: .after(seconds: 2)) != nil
    } catch {
      return false
    }
  }()

  /// Hears what is recorded from now on.
  public init() throws(HarnessFailure) {
    socket = try Descriptor(takingOver: ctest_hear_audit(), from: "bind")
  }

  /// The next record that contains `text`, or nothing when there is none by the deadline.
  public func record(
    containing text: String, until deadline: Deadline = .usual
  ) throws(HarnessFailure) -> String? {
    while ctest_readable(socket.number, -1, deadline.millisecondsLeft) > 0 {
      // Behind the header of the message.
      let record = String(decoding: try socket.readSome().dropFirst(16), as: UTF8.self)
      if record.contains(text) { return record }
    }
    return nil
  }
}
