import MFABase

/// An account in the system's list of accounts.
package struct KnownAccount: Equatable {
  package let account: Account
  /// The login shell.
  package let shell: [UInt8]
  /// The home directory; empty if unknown.
  package var home: [UInt8] = []

  /// Shells that end a session at once.
  private static let refusingShells = ["nologin", "false"].map { Array($0.utf8) }

  /// Whether the account is for a user who signs in: its UID is 0 or 1000 to 60000, and its shell
  /// does not refuse sign-ins.
  package var isPersonal: Bool {
    guard account.uid == 0 || (1000...60_000).contains(account.uid) else { return false }
    return acceptsSignIns
  }

  /// Whether the shell does not refuse sign-ins.
  package var acceptsSignIns: Bool {
    guard let program = shell.split(separator: UInt8(ascii: "/")).last else { return true }
    return !Self.refusingShells.contains(Array(program))
  }
}
