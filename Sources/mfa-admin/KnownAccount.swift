import System

/// An account that the system lists.
struct KnownAccount: Equatable {
  let account: Account
  /// Its program at a sign-in.
  let shell: [UInt8]
  /// Its folder; empty where none is known.
  var home: [UInt8] = []

  /// Programs that end a sign-in at once.
  private static let refusingShells = ["nologin", "false"].map { Array($0.utf8) }

  /// Whether it is a person's: root's, or of a number from 1000 to 60000; and whoever signs in gets a
  /// shell.
  var isPersonal: Bool {
    guard account.uid == 0 || (1000...60_000).contains(account.uid) else { return false }
    guard let program = shell.split(separator: UInt8(ascii: "/")).last else { return true }
    return !Self.refusingShells.contains(Array(program))
  }
}
