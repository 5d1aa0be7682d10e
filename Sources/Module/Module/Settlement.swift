import MFAWire
import MFABase

/// The `account` line of a transaction whose `auth` line accepted a code: the user has a factor, so
/// the `account` line allows without asking anybody.
///
/// MUST 1: a user who signed in with a bypass code, or who must enrol, is not settled: the `auth`
/// line then stores another note. (`SettlementTests`)
/// MUST 2: the two lines decide by the same policy: neither has a configuration file of its own.
/// (`SettlementTests`)
enum Settlement {
  /// Stores that the `auth` line allowed the user, unless the `auth` line has stored another note.
  static func settle(_ request: SignInRequest, _ application: some ModuleApplication) {
    let file: StaticString = "config="
    guard application.storedNote == nil,
      !request.arguments.contains(where: { $0.starts(with: file.bytes) })
    else { return }
    // If this fails, the `account` line decides.
    _ = application.note(.allowed, of: request.user)
  }

  /// Returns whether the `auth` line of this transaction allowed the user. An `account` line with
  /// arguments decides in any case, because an invalid argument denies.
  static func isSettled(_ request: SignInRequest, _ application: some ModuleApplication) -> Bool {
    request.arguments.isEmpty && application.isNoted(.allowed, of: request.user)
  }
}
