import MFACPOSIX

/// The kernel's audit trail, if the host has one.
///
/// MUST 1: a record that cannot be written never makes the caller fail. (`EndToEnd.AuditTrail`)
/// MUST 2: no host name is resolved: a record contains a numeric address, or none. (the same)
public enum Audit {
  /// The kind of event that a record describes.
  public enum Kind: Sendable {
    /// An authentication succeeded or failed (USER_AUTH).
    case authentication
    /// An account was changed (USER_MGMT).
    case management
  }

  /// Writes a record about an account. `address` is numeric, or nil if it is unknown.
  public static func write(
    _ kind: Kind, _ operation: [UInt8], account: [UInt8], address: [UInt8]?, terminal: [UInt8]?,
    succeeded: Bool
  ) {
    let type =
      switch kind {
      case .authentication: CPOSIX_AUDIT_USER_AUTH
      case .management: CPOSIX_AUDIT_USER_MGMT
      }
    var texts: [UInt8] = []
    add(operation, to: &texts)
    add(account, isPlain: true, to: &texts)
    add(address, to: &texts)
    add(terminal, to: &texts)
    // SAFETY: each of the four texts ends with a NUL, and all outlive the call.
    unsafe texts.withUnsafeBufferPointer { texts in
      guard let base = texts.baseAddress else { return }
      unsafe cposix_audit(
        Int32(truncatingIfNeeded: type),
        UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), succeeded ? 1 : 0)
    }
  }

  /// Writes a record of a change to the host's configuration (USYS_CONFIG), described by `pairs`.
  public static func write(configuration pairs: LogLine, terminal: [UInt8]?) {
    var texts = pairs.text + [0]
    add(terminal, to: &texts)
    // SAFETY: each of the two texts ends with a NUL, and both outlive the call.
    unsafe texts.withUnsafeBufferPointer { texts in
      guard let base = texts.baseAddress else { return }
      unsafe cposix_audit_system(
        Int32(truncatingIfNeeded: CPOSIX_AUDIT_USYS_CONFIG),
        UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self))
    }
  }

  @inline(never)
  private static func add(_ text: [UInt8]?, isPlain: Bool = false, to texts: inout [UInt8]) {
    let text = text ?? []
    if text.isEmpty { texts.append(UInt8(ascii: "?")) }
    // libaudit escapes the account name itself, but writes the other fields unchanged.
    for byte in isPlain ? text : LogLine.escaped(text) where byte != 0 { texts.append(byte) }
    texts.append(0)
  }
}
