import MFAAdmin

/// The files in which sshd looks for the keys of users (AuthorizedKeysFile in sshd_config(5)).
package struct AuthorizedKeysFiles: Equatable {
  private let patterns: [String]

  /// sshd's default.
  private static let usual = ".ssh/authorized_keys .ssh/authorized_keys2"

  /// Reads the files from settings, or uses sshd's default if the settings do not name them.
  package init(_ settings: SSHDSettings?) {
    let value = settings?.value(of: "authorizedkeysfile") ?? Self.usual
    patterns = value == "none" ? [] : value.split(separator: " ").map { String($0) }
  }

  /// Returns the paths of the files for an account.
  func paths(of account: KnownAccount) -> [[UInt8]] {
    patterns.map { pattern in
      let path = Self.expanded(pattern, account)
      guard path.first != UInt8(ascii: "/") else { return path }
      return account.home + [UInt8(ascii: "/")] + path
    }
  }

  /// Replaces the tokens: `%h` the home directory, `%u` the name, `%U` the user ID, `%%` a percent
  /// sign.
  private static func expanded(_ pattern: String, _ account: KnownAccount) -> [UInt8] {
    var path: [UInt8] = []
    var isToken = false
    for character in pattern {
      switch (isToken, character) {
      case (false, "%"):
        isToken = true
        continue
      case (true, "h"): path += account.home
      case (true, "u"): path += account.account.name
      case (true, "U"): path += Array(String(account.account.uid).utf8)
      case _: path += Array(String(character).utf8)
      }
      isToken = false
    }
    return path
  }
}
