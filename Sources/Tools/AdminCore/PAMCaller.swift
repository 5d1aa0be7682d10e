/// The identity of the process that calls PAM for a service: root or another user.
package enum PAMCaller {
  /// The services whose program runs with the identity of the user who starts it. They ask for a
  /// code only if that user is not root, because pam_rootok.so lets root through.
  private static let others = ["su", "su-l"].map { Array($0.utf8) }

  /// Returns whether the caller is root when the service asks for a code.
  package static func isRoot(at service: [UInt8]) -> Bool { !others.contains(service) }
}
