import CPOSIX

/// Whose process this is, and what it may become.
public struct ProcessIdentity: Equatable, Sendable {
  /// The user who runs it (the real identity).
  public let user: UInt32
  /// Whether it acts as root (the effective identity).
  public let actsAsRoot: Bool
  /// Whether no program that it starts is given another identity, as in a sandbox (no_new_privs).
  public let isConfined: Bool

  /// Puts an identity together.
  public init(user: UInt32, actsAsRoot: Bool, isConfined: Bool) {
    self.user = user
    self.actsAsRoot = actsAsRoot
    self.isConfined = isConfined
  }

  /// This process's.
  public static var current: ProcessIdentity {
    // Where that cannot be asked, the helper says that it was not given its identity.
    ProcessIdentity(
      user: getuid(), actsAsRoot: geteuid() == 0, isConfined: cposix_has_no_new_privileges() == 1)
  }
}
