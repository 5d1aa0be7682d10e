import MFAAdmin
import MFADoctor

/// The reasons why sshd would not ask for a password and a code, and what to do.
enum SecureShellObstacle {
  /// sshd is not installed.
  static let notInstalled = AdminError.secureShell(
    reason: "\(SecureShellServer.program) or \(SSHDFile.path) does not exist",
    hint: "install openssh-server first")

  /// sshd does not read the drop-in.
  static let notIncluded = AdminError.secureShell(
    reason: "\(SSHDFile.path) does not include \(SecureShellDropIn.folder)/*.conf",
    hint: "put \"Include \(SecureShellDropIn.folder)/*.conf\" at the top of "
      + "\(SSHDFile.path)")

  /// A file of another origin has the drop-in's name.
  static let occupied = AdminError.secureShell(
    reason: "\(SecureShellDropIn.path) already exists with different contents",
    hint: "keep what you need of it in another file, then: rm \(SecureShellDropIn.path)")

  /// sshd requires a key now.
  static let keyRequired = AdminError.secureShell(
    reason: "AuthenticationMethods requires a key now, and a password would replace it",
    hint:
      "to require a key and a code: --factors key+code; to give up the key: --factors password+code"
  )

  /// An earlier setting, which sshd uses instead.
  static func setBefore(
    _ setting: SSHDFile.Line, _ what: String
  ) -> AdminError {
    .secureShell(
      reason: "\(setting.place) sets \(setting.keyword) before \(what)",
      hint: "sshd uses the first value that it reads: remove \(setting.place)")
  }

  /// A line with which sshd uses another PAM service than the one that is changed.
  static func otherService(_ setting: SSHDFile.Line) -> AdminError {
    .secureShell(
      reason:
        "\(setting.place) makes sshd use the PAM service \(VisibleText.escaping(setting.value))",
      hint: "remove \(setting.place), and run the command again")
  }

  /// Under a `Match` line, the new lines of the service would be reached without a key.
  static func codeAlone(_ setting: SSHDFile.Line) -> AdminError {
    .secureShell(
      reason: "\(setting.place) lets users who have enrolled in with a code alone",
      hint:
        "remove the line, set \"AuthenticationMethods publickey,keyboard-interactive\" there, or "
        + "use --factors password+code")
  }

  /// sshd refuses its files. `complaint` is its last line of output.
  static func refused(_ command: String, _ complaint: String) -> AdminError {
    let folder = complaint.split(separator: ": ").last.map { String($0) } ?? ""
    return .secureShell(
      reason: "\(command): \(complaint)",
      hint: complaint.hasPrefix("Missing privilege separation directory")
        ? "the service ssh creates it when it starts; without it: install -d -m 0755 \(folder)"
        : "correct sshd's files until sshd -t prints nothing")
  }

  /// sshd would use other values.
  static func overridden(_ differences: [(name: String, found: String)]) -> AdminError {
    .secureShell(
      reason: differences.map { "\($0.name) would be \(VisibleText.escaping($0.found))" }
        .joined(separator: ", "),
      hint: "sshd -T shows the values in force; remove the other setting, or put \"Include "
        + "\(SecureShellDropIn.folder)/*.conf\" above it")
  }
}

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
    exemptGroups.flatMap { [Self.match + Self.word($0), Self.exemption] }
  }

  /// Returns a name as one word of sshd_config.
  private static func word(_ group: String) -> String {
    isPlain(group) ? group : "\"\(group)\""
  }

  /// Returns the name for a word of sshd_config.
  private static func group(_ word: String) -> String {
    guard word.count > 1, word.hasPrefix("\""), word.hasSuffix("\"") else { return word }
    return String(word.dropFirst().dropLast())
  }

  private static let match = "Match Group "
  private static let exemption = "  AuthenticationMethods publickey"

  /// Returns whether a line is one of `exemptions`, for any group.
  static func isExemption(_ line: [UInt8]) -> Bool {
    if line == Array(exemption.utf8) { return true }
    let start = Array(match.utf8)
    guard line.starts(with: start) else { return false }
    let word = String(decoding: line.dropFirst(start.count), as: UTF8.self)
    let group = group(word)
    return isGroup(group) && Self.word(group) == word
  }

  /// Returns whether a name is that of one group for sshd, and not a pattern or a list. sshd has no way
  /// to write a quotation mark or a backslash in a name.
  package static func isGroup(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && !name.hasPrefix("!") && !name.hasPrefix(" ")
      && !name.hasSuffix(" ")
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.value >= 0x20 && scalar.value != 0x7F && !"*?,\"\\:/".unicodeScalars.contains(scalar)
      }
  }

  /// Returns whether sshd reads a name as one word without quotes.
  private static func isPlain(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9_.@-]*/) != nil
  }

  /// What sshd asks for according to the drop-in of this program, or nil if there is no such drop-in.
  package static var present: SecureShellFactors? {
    do throws(AdminError) {
      let text = try SystemFile.read(SecureShellDropIn.path)?.contents ?? []
      let service = Array("sshd".utf8)
      guard MarkedText.services(in: text) == [service] else { return nil }
      let lines = MarkedText(service: service).ourLines(in: text)
        .map { String(decoding: $0, as: UTF8.self) }
      return SecureShellFactors(
        first: SecureShellDropIn.factors(in: text),
        exemptGroups: lines.filter { $0.hasPrefix(match) }
          .map { group(String($0.dropFirst(match.count))) }
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
  package var arguments: [String] {
    ["--factors", first.rawValue] + exemptGroups.flatMap { ["--except-group", $0] }
  }
}
