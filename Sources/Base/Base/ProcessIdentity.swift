import MFACPOSIX

/// The user that a process runs as, and whether the process can gain another identity.
package struct ProcessIdentity: Equatable, Sendable {
  /// The user who runs the process (the real user ID).
  package let user: UInt32
  /// Whether the process acts as root (the effective user ID).
  package let actsAsRoot: Bool
  /// Whether programs that the process starts cannot gain another identity, as in a sandbox
  /// (no_new_privs).
  package let isConfined: Bool

  /// Creates an identity.
  package init(user: UInt32, actsAsRoot: Bool, isConfined: Bool) {
    self.user = user
    self.actsAsRoot = actsAsRoot
    self.isConfined = isConfined
  }

  /// The identity of this process.
  package static var current: ProcessIdentity {
    // If the kernel does not answer, the helper later reports that it did not gain its identity.
    ProcessIdentity(
      user: getuid(), actsAsRoot: geteuid() == 0,
      isConfined: cposix_control_process(PR_GET_NO_NEW_PRIVS, 0) == 1)
  }
}
