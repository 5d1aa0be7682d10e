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

  /// Makes the process a known one: the log under `name`, in authpriv; no capability but, where it is
  /// permitted, the one to write to the audit trail, and that one not in effect; descriptors 0 to 2 open
  /// and no other, an empty environment, the root directory, a umask of 077, no core dump, not to be
  /// traced, and all signals at their defaults.
  public static func settle(name: StaticString) throws(SystemError) {
    // First, for what goes wrong is said there. Nothing is opened by it.
    // SAFETY: a literal is NUL-terminated and lives for ever.
    name.withUTF8Buffer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe cposix_open_log(UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self))
    }
    guard cposix_reduce_capabilities() == 0 else { throw SystemError.last(.identity) }
    for descriptor in Int32(0)...2 where isClosed(descriptor) { try openNothing() }
    guard cposix_close_from(3) == 0 else { throw SystemError.last(.descriptors) }
    guard cposix_clear_environment() == 0 else { throw SystemError.last(.environment) }
    // SAFETY: a literal is NUL-terminated.
    guard unsafe chdir("/") == 0 else { throw SystemError.last(.environment) }
    _ = umask(0o077)
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    // SAFETY: `limit` outlives the call.
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else {
      throw SystemError.last(.limit)
    }
    guard cposix_not_dumpable() == 0 else { throw SystemError.last(.limit) }
    cposix_default_signals()
  }

  /// Whose identities the process has. The saved one must be the effective one.
  public static func identities() throws(SystemError) -> Identities {
    let (real, effective, saved) = try all()
    guard effective == saved else { throw SystemError(.identity, number: EPERM) }
    return Identities(caller: real, own: effective)
  }

  /// Gives the caller's identity up for good, so that the caller can no longer send signals, and
  /// proves that it is gone. What the process may have of capabilities stays.
  public static func leaveCaller(_ identities: Identities) throws(SystemError) {
    let own = identities.own
    // Who gives root's identity up would lose them. Where that cannot be said, they are lost.
    let isKept = cposix_keep_capabilities(1) == 0
    guard cposix_set_identities(own, own, own) == 0 else { throw SystemError.last(.identity) }
    guard !isKept || cposix_keep_capabilities(0) == 0 else { throw SystemError.last(.identity) }
    guard try all() == (own, own, own) else { throw SystemError(.identity, number: EPERM) }
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

  private static func isClosed(_ descriptor: Int32) -> Bool {
    var status = stat()
    // SAFETY: `status` is written by the call and outlives it.
    return unsafe fstat(descriptor, &status) != 0 && cposix_errno() == EBADF
  }

  /// Opens the lowest free descriptor on nothing.
  private static func openNothing() throws(SystemError) {
    // SAFETY: a literal is NUL-terminated.
    _ = try retrying(.open) { unsafe cposix_openat(AT_FDCWD, "/dev/null", O_RDWR, 0) }
  }
}
