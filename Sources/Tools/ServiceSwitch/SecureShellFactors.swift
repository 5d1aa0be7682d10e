import MFAAdminOutput

/// What sshd asks for, as `mfa-admin enable sshd` sets it up.
package struct SecureShellFactors: Equatable {
  /// A first factor, which users present before the code.
  package enum First: String, CaseIterable {
    /// The password.
    case password = "password+code"
    /// A key. Users who have not enrolled are asked for their password after the key.
    case key = "key+code"
    /// A key or the password. Users who have not enrolled are asked for their password in any case.
    case keyOrPassword = "key-or-password+code"

    /// The value of AuthenticationMethods.
    var methods: String {
      switch self {
      case .password: "keyboard-interactive"
      case .key: "publickey,keyboard-interactive"
      case .keyOrPassword: "publickey,keyboard-interactive keyboard-interactive"
      }
    }
  }

  /// What users present before the code.
  package let first: First
  /// The groups whose members sign in with a key alone.
  package let exemptGroups: [String]

  /// The password, then a code, for every user.
  package static let usual = SecureShellFactors(first: .password, exemptGroups: [])

  /// Creates the value.
  package init(first: First, exemptGroups: [String]) {
    self.first = first
    self.exemptGroups = exemptGroups
  }

  /// The value of AuthenticationMethods in general.
  var methods: String { first.methods }

  /// The lines that exempt the groups.
  var exemptions: [String] {
    exemptGroups.flatMap { [Self.match + $0, Self.exemption] }
  }

  private static let match = "Match Group "
  private static let exemption = "  AuthenticationMethods publickey"

  /// Returns whether a line is one of `exemptions`, for any group.
  static func isExemption(_ line: [UInt8]) -> Bool {
    if line == Array(exemption.utf8) { return true }
    let start = Array(match.utf8)
    return line.starts(with: start)
      && isGroup(String(decoding: line.dropFirst(start.count), as: UTF8.self))
  }

  /// Returns whether a name is that of one group for sshd, and not a pattern or a list.
  package static func isGroup(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}/) != nil
  }

  /// What sshd asks for according to the drop-in of this program, or nil if there is no such drop-in.
  package static var present: SecureShellFactors? {
    do throws(ChangeError) {
      let text = try SystemFile.read(SecureShellDropIn.path)?.contents ?? []
      let service = Array("sshd".utf8)
      guard MarkedText.services(in: text) == [service] else { return nil }
      let lines = MarkedText(service: service).ourLines(in: text)
        .map { String(decoding: $0, as: UTF8.self) }
      return SecureShellFactors(
        first: SecureShellDropIn.factors(in: text),
        exemptGroups: lines.filter { $0.hasPrefix(match) }.map { String($0.dropFirst(match.count)) }
      )
    } catch {
      return nil
    }
  }

  /// The members of the JSON object for the service.
  package var members: [(name: String, value: JSON)] {
    [
      ("factors", .string(first.rawValue)),
      ("exceptGroups", .array(exemptGroups.map { .string($0) })),
    ]
  }

  /// The arguments of `mfa-admin` that stand for this value.
  var arguments: [String] {
    ["--factors", first.rawValue] + exemptGroups.flatMap { ["--except-group", $0] }
  }
}
