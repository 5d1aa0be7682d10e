import CPOSIX

/// What a program does first when somebody else may have started it with an identity that is not
/// theirs: nothing of what it inherited is relied on.
public enum PrivilegedProcess {
  /// Who started the process, and whose identity it has.
  public struct Identities: Equatable, Sendable {
    /// The caller's (the real one).
    public let caller: UInt32
    /// The program's (the effective one).
    public let own: UInt32
  }

  /// Gives every inherited attribute and resource limit a known value, or refuses the process. Opens
  /// the log under `name`, in authpriv, first: a refusal is logged there.
  public static func settle(name: StaticString) throws(UnsuitableProcess) {
    // SAFETY: a literal is NUL-terminated and lives for ever. Nothing is opened by the call.
    name.withUTF8Buffer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe cposix_open_log(UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self))
    }
    for attribute in InheritedAttribute.allCases { try attribute.settle() }
    for limit in ResourceLimit.allCases { try limit.settle() }
  }

  /// Whose identities the process has. The saved one must be the effective one.
  public static func identities() throws(SystemError) -> Identities {
    let (real, effective, saved) = try all()
    guard effective == saved else { throw SystemError(.identity, number: EPERM) }
    return Identities(caller: real, own: effective)
  }

  /// Gives up the caller's identity for good, so that the caller can no longer send signals, and
  /// proves that it is gone. A signal that the caller was sending meanwhile has arrived when this returns. The real and saved groups become the effective one, which is the program's
  /// own where its file is setgid. What the process may have of capabilities stays.
  ///
  /// The caller's supplementary groups stay: only CAP_SETGID, with which a process can join every group,
  /// could give them up. They open nothing that the caller could not open, and the helper opens no path
  /// that the caller names.
  public static func leaveCaller(_ identities: Identities) throws(SystemError) {
    let own = identities.own
    // The group first: without the user's identity it may no longer be possible.
    guard cposix_leave_group() != 0 else { throw SystemError.last(.identity) }
    // Who gives root's identity up would lose them. Where that cannot be said, they are lost.
    let isKept = cposix_keep_capabilities(1) == 0
    guard cposix_set_identities(own, own, own) == 0 else { throw SystemError.last(.identity) }
    guard !isKept || cposix_keep_capabilities(0) == 0 else { throw SystemError.last(.identity) }
    guard try all() == (own, own, own) else { throw SystemError(.identity, number: EPERM) }
    cposix_await_signals()
    guard identities.caller == own || cposix_set_identities(identities.caller, own, own) != 0 else {
      throw SystemError(.identity, number: EPERM)
    }
  }

  private static func all() throws(SystemError) -> (UInt32, UInt32, UInt32) {
    var real: uid_t = 0
    var effective: uid_t = 0
    var saved: uid_t = 0
    // SAFETY: the three are written by the call and outlive it.
    guard unsafe cposix_identities(&real, &effective, &saved) == 0 else {
      throw SystemError.last(.identity)
    }
    return (real, effective, saved)
  }
}
