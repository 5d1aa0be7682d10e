/// The identity of the process that calls PAM for a service: root or another user.
package enum PAMCaller {
  /// The services whose program a user starts with the user's own identity. A code is asked for
  /// only if that user is not root: pam_rootok.so lets root pass.
  private static let others = ["su", "su-l"].map { Array($0.utf8) }

  /// Returns whether the caller is root when the service asks for a code.
  package static func isRoot(at service: [UInt8]) -> Bool { !others.contains(service) }
}
