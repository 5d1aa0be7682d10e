import MFACPOSIX
import MFABase

/// The effective user ID of a process of root.
enum EffectiveUser {
  /// Calls `body` with the rights of `user`. The real and the saved user ID stay root's. Throws if
  /// the rights cannot be changed; a process that could not restore its own rights ends.
  static func acting(
    as user: UInt32, _ body: () throws(SystemError) -> Void
  ) throws(SystemError) {
    guard cposix_set_identities(.max, user, .max) == 0 else {
      throw SystemError(.identity, number: cposix_errno())
    }
    defer { if cposix_set_identities(.max, 0, .max) != 0 { exit(1) } }
    try body()
  }
}
