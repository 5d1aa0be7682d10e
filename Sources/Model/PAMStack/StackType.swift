/// The type of a line in a service file (pam.conf(5), "type").
package enum StackType: Sendable, CaseIterable {
  case auth, account, password, session

  /// Parses a type. Ignores case and a leading hyphen, which only prevents libpam from logging a
  /// missing module. Returns nil for any other word.
  init?(_ word: [UInt8]) {
    var name: [UInt8] = []
    for (index, byte) in word.enumerated() where index > 0 || byte != UInt8(ascii: "-") {
      name.append(byte)
    }
    guard let facility = Self.allCases.first(where: { Word.equals(name, $0.name) }) else {
      return nil
    }
    self = facility
  }

  /// The type as named in a file.
  package var name: StaticString {
    switch self {
    case .auth: "auth"
    case .account: "account"
    case .password: "password"
    case .session: "session"
    }
  }
}
