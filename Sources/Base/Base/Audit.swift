import MFACPOSIX

/// The kernel's audit trail, if the host has one.
///
/// MUST 1: a record that cannot be written never makes the caller fail. (`EndToEnd.AuditTrail`)
/// MUST 2: no host name is resolved: a record contains a numeric address, or none. (the same test)
package enum Audit {
  /// The kind of event that a record describes.
  package enum Kind: Sendable {
    /// An authentication succeeded or failed (USER_AUTH).
    case authentication
    /// An account was changed (USER_MGMT).
    case management
  }

  /// A record about an account.
  package struct Record: Sendable {
    /// The kind of event.
    package let kind: Kind
    /// The operation, such as `mfa:code`.
    package let operation: [UInt8]
    /// The name of the account.
    package let account: [UInt8]
    /// The numeric address that the user came from, or nil if it is unknown.
    package let address: [UInt8]?
    /// The terminal, or nil if it is unknown.
    package let terminal: [UInt8]?
    /// Whether the operation succeeded.
    package let succeeded: Bool

    /// Creates a record.
    package init(
      kind: Kind, operation: [UInt8], account: [UInt8], address: [UInt8]?, terminal: [UInt8]?,
      succeeded: Bool
    ) {
      self.kind = kind
      self.operation = operation
      self.account = account
      self.address = address
      self.terminal = terminal
      self.succeeded = succeeded
    }
  }

  /// Writes a record about an account.
  ///
  /// The process must belong to root or have CAP_AUDIT_WRITE as a permitted capability that is not
  /// effective. The capability is made effective only during this call. In any other process, the
  /// function does nothing.
  package static func write(_ record: Record) {
    let type =
      switch record.kind {
      case .authentication: CPOSIX_AUDIT_USER_AUTH
      case .management: CPOSIX_AUDIT_USER_MGMT
      }
    let isRoot = geteuid() == 0
    let isRaised = !isRoot && Capabilities.setAuditWriting(isEffective: true)
    guard isRoot || isRaised else { return }
    // SAFETY: all texts end with a NUL and outlive the call.
    unsafe cposix_audit_account(
      Int32(truncatingIfNeeded: type), field(record.operation),
      cString(record.account.filter { $0 != 0 }), field(record.address), field(record.terminal),
      record.succeeded ? 1 : 0)
    if isRaised { _ = Capabilities.setAuditWriting(isEffective: false) }
  }

  /// Writes a record of a change to the host's configuration (USYS_CONFIG), described by `pairs`.
  /// Does nothing unless the process belongs to root.
  package static func write(configuration pairs: LogLine, terminal: [UInt8]?) {
    guard geteuid() == 0 else { return }
    // SAFETY: both texts end with a NUL and outlive the call.
    unsafe cposix_audit_system(
      Int32(truncatingIfNeeded: CPOSIX_AUDIT_USYS_CONFIG), cString(pairs.text), field(terminal))
  }

  /// Returns the text of a field, which libaudit writes unchanged. A missing field is `?`.
  @inline(never)
  private static func field(_ text: [UInt8]?) -> [CChar] {
    guard let text, !text.isEmpty else { return cString([UInt8(ascii: "?")]) }
    return cString(LogLine.escaped(text))
  }
}
