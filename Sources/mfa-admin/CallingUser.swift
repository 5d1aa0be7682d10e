/// Who starts the program that asks PAM for a service.
enum CallingUser {
  /// Services at which whoever is asked for a code is not root: who is, is not asked.
  private static let others = ["su", "su-l"].map { Array($0.utf8) }

  /// Whether root does where a code is asked for.
  static func isRoot(at service: [UInt8]) -> Bool { !others.contains(service) }
}
