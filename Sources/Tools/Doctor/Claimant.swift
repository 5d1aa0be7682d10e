import MFAPAMStack

/// A subject who tries to sign in (NIST SP 800-63-4, "claimant"), as far as modules can tell.
package struct Claimant: Hashable {
  /// What the claimant has.
  package struct Authenticators: OptionSet, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The password of the account.
    package static let password = Authenticators(rawValue: 1)
    /// A code, as pam_mfa.so asks for it.
    package static let code = Authenticators(rawValue: 2)
    /// Whatever another module asks for: a fingerprint, a security key, a smart card.
    package static let other = Authenticators(rawValue: 4)
    /// A key that sshd has verified before it calls PAM.
    package static let key = Authenticators(rawValue: 8)
  }

  /// What pam_mfa.so asks of the user.
  package enum Enrollment: Hashable {
    /// A code.
    case enrolled
    /// Nothing: the user has no factor and need not enrol.
    case notRequired
    /// To enrol: `account` lines deny.
    case required
  }

  /// What the claimant has.
  package var authenticators: Authenticators
  /// What pam_mfa.so asks for.
  package var enrollment: Enrollment
  /// Whether the real UID of the program that calls PAM is root's, whichever user signs in.
  package var isCalledByRoot = false
  /// Whether the password may have expired, so that the user has to choose a new one.
  package var mayHaveExpiredPassword = true
  /// The modules that libpam cannot load on the host, as lines name them.
  package var unloadable: Set<[UInt8]> = []

  /// Creates a claimant.
  package init(_ authenticators: Authenticators, _ enrollment: Enrollment = .enrolled) {
    self.authenticators = authenticators
    self.enrollment = enrollment
  }

  /// Returns enrolled users who have everything but a code: without a key and, if the stack
  /// distinguishes them, with one.
  package static func withoutCode(for stack: ServiceStack) -> [Claimant] {
    let hasKeyLine = stack.entries.contains(where: \.callsModuleAfterKey)
    return [Claimant([.password, .other])]
      + (hasKeyLine ? [Claimant([.password, .other, .key])] : [])
  }
}
