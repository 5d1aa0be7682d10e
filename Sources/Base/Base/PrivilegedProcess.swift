import MFACPOSIX

/// The first steps of a program that may run with a different identity from its caller's. The
/// program trusts nothing that it inherits.
package enum PrivilegedProcess {
  /// The user IDs of the process.
  package struct Identities: Equatable, Sendable {
    /// The caller's user ID (the real one).
    package let caller: UInt32
    /// The program's user ID (the effective one).
    package let own: UInt32

    /// Creates a value.
    package init(caller: UInt32, own: UInt32) {
      self.caller = caller
      self.own = own
    }
  }

  /// Sets each inherited attribute and resource limit to a safe value. Throws if a value that the
  /// program depends on cannot be set. First opens the log under `name` in authpriv, so that a
  /// refusal can be logged. A program that a service manager starts `keepsDescriptors`.
  package static func settle(
    name: StaticString, keepsDescriptors: Bool = false
  ) throws(SystemError) {
    // SAFETY: a literal is NUL-terminated and is never freed. The call opens no file.
    name.withUTF8Buffer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe openlog(
        UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), LOG_PID, LOG_AUTHPRIV)
    }
    for attribute in InheritedAttribute.allCases
    where !keepsDescriptors || attribute != .descriptors {
      try attribute.settle()
    }
    for limit in ResourceLimit.allCases { try limit.settle() }
  }

  /// Ignores the signals with which a terminal ends its processes. The client, which they end, closes its
  /// pipe, and a question without an answer is no failed attempt.
  package static func outliveTerminal() throws(SystemError) {
    for signal in [SIGINT, SIGQUIT, SIGHUP] where cposix_set_signal(signal, 1) != 0 {
      throw SystemError.last(.environment)
    }
  }

  /// Returns the user IDs of the process. Throws if the saved ID differs from the effective ID.
  package static func identities() throws(SystemError) -> Identities {
    let (real, effective, saved) = try all()
    guard effective == saved else { throw SystemError(.identity, number: EPERM) }
    return Identities(caller: real, own: effective)
  }

  /// Gives up the caller's identity permanently, so that the caller can no longer send signals, and
  /// verifies that it cannot be regained. A signal that the caller was sending may still arrive: see
  /// `awaitSignals`. The real and saved groups become the effective group, which is the
  /// program's own if its file is setgid. The permitted capabilities stay.
  ///
  /// The caller's supplementary groups stay: removing them takes CAP_SETGID, which would allow a
  /// process to join any group. They give no access that the caller does not have, and the helper
  /// opens no path that the caller names.
  package static func dropCallerIdentity(_ identities: Identities) throws(SystemError) {
    let own = identities.own
    // The group comes first: changing it may be impossible once the user ID has changed.
    guard leaveGroup() else { throw SystemError.last(.identity) }
    // A process that gives up root's identity loses its capabilities unless it asks to keep them.
    // If that request fails, the capabilities are lost.
    let isKept = cposix_control_process(PR_SET_KEEPCAPS, 1) == 0
    guard cposix_set_identities(own, own, own) == 0 else { throw SystemError.last(.identity) }
    guard !isKept || cposix_control_process(PR_SET_KEEPCAPS, 0) == 0 else {
      throw SystemError.last(.identity)
    }
    guard try all() == (own, own, own) else { throw SystemError(.identity, number: EPERM) }
    guard identities.caller == own || cposix_set_identities(identities.caller, own, own) != 0 else {
      throw SystemError(.identity, number: EPERM)
    }
  }

  /// Returns when any signal that the caller was sending as this process gave up its identity has arrived. This
  /// takes 8 to 20 ms.
  package static func awaitSignals() { cposix_await_signals() }

  /// Calls `body` with the caller's user ID as the effective one, for a file that only the caller may read.
  /// The saved user ID stays the program's, so that the caller cannot trace the process.
  package static func asCaller<Result>(
    _ identities: Identities, _ body: () -> Result
  ) -> Result? {
    let (caller, own) = (identities.caller, identities.own)
    guard cposix_set_identities(caller, caller, own) == 0 else { return nil }
    let result = body()
    // A process that could not become itself again must not go on.
    guard cposix_set_identities(caller, own, own) == 0 else { WorkerProcess.leave(1) }
    return result
  }

  /// Gives a process of root the identity of a system user for good: its user ID, its group, no other
  /// group, and no capability but CAP_AUDIT_WRITE, which stays permitted but not effective. With
  /// `groupsOf`, the process also gets the supplementary groups of the account with this name.
  package static func become(
    _ user: UInt32, group: UInt32, groupsOf name: [UInt8]? = nil
  ) throws(SystemError) {
    guard cposix_control_process(PR_SET_KEEPCAPS, 1) == 0, setGroups(of: name, group) == 0,
      cposix_set_groups(group, group, group) == 0,
      cposix_set_identities(user, user, user) == 0, Capabilities.reduce(),
      cposix_control_process(PR_SET_KEEPCAPS, 0) == 0
    else { throw SystemError.last(.identity) }
    guard try all() == (user, user, user), cposix_set_identities(0, 0, 0) != 0 else {
      throw SystemError(.identity, number: EPERM)
    }
  }

  /// Sets the supplementary groups: those of an account, or none.
  private static func setGroups(of name: [UInt8]?, _ group: UInt32) -> Int32 {
    guard let name else { return setgroups(0, nil) }
    // SAFETY: the name ends with a NUL and outlives the call.
    return unsafe initgroups(cString(name), group)
  }

  /// Sets the real and saved group to the effective group. Returns whether all three are now the
  /// same.
  private static func leaveGroup() -> Bool {
    let own = getegid()
    return cposix_set_groups(own, own, own) == 0 && getgid() == own
  }

  private static func all() throws(SystemError) -> (UInt32, UInt32, UInt32) {
    var real: uid_t = 0
    var effective: uid_t = 0
    var saved: uid_t = 0
    // SAFETY: the call writes the three values, which outlive it.
    guard unsafe cposix_identities(&real, &effective, &saved) == 0 else {
      throw SystemError.last(.identity)
    }
    return (real, effective, saved)
  }
}
