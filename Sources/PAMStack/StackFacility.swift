/// What a line of a service file is asked about (pam.conf(5), "type").
public enum StackFacility: Sendable, CaseIterable {
  case auth, account, password, session

  /// Reads a type; case does not matter, and neither does a hyphen before it, which only keeps libpam
  /// from logging that a module is missing. Nil for anything else.
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

  /// The type as a file names it.
  public var name: StaticString {
    switch self {
    case .auth: "auth"
    case .account: "account"
    case .password: "password"
    case .session: "session"
    }
  }
}
