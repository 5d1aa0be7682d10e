import CPOSIX

/// The kernel's audit trail, where the host has one.
///
/// MUST 1: whatever becomes of a record, nothing fails for it. (`EndToEnd.AuditTrail`)
/// MUST 2: no name is looked up for it: an address is handed on, or none. (the same)
public enum Audit {
  /// What a record is about.
  public enum Kind: Sendable {
    /// Somebody was authenticated, or was not (USER_AUTH).
    case authentication
    /// Something about an account was changed (USER_MGMT).
    case management
  }

  /// Writes a record about an account. `address` is a numeric one; nil where none is known.
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
    // SAFETY: the four texts end with a NUL each, and outlive the call.
    unsafe texts.withUnsafeBufferPointer { texts in
      guard let base = texts.baseAddress else { return }
      unsafe cposix_audit(
        Int32(truncatingIfNeeded: type),
        UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), succeeded ? 1 : 0)
    }
  }

  /// Writes a record of a change to how the host is set up (USYS_CONFIG): `pairs` say what it was.
  public static func write(configuration pairs: LogLine, terminal: [UInt8]?) {
    var texts = pairs.text + [0]
    add(terminal, to: &texts)
    // SAFETY: the two texts end with a NUL each, and outlive the call.
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
    // libaudit itself sees to the account's name; the rest it writes as it is.
    for byte in isPlain ? text : LogLine.escaped(text) where byte != 0 { texts.append(byte) }
    texts.append(0)
  }
}
