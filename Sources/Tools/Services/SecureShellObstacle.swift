import MFAAdmin

/// The reason why sshd would not ask for a password and a code, and what to do.
package struct SecureShellObstacle: Error, Equatable {
  /// The reason.
  package let reason: String
  /// The remedy.
  package let hint: String

  /// sshd is not installed.
  static let notInstalled = SecureShellObstacle(
    reason: "\(SecureShellServer.program) or \(SecureShellDropIn.mainPath) does not exist",
    hint: "install openssh-server first")

  /// sshd does not read the drop-in.
  static let notIncluded = SecureShellObstacle(
    reason: "\(SecureShellDropIn.mainPath) does not include \(SecureShellDropIn.folder)/*.conf",
    hint: "put \"Include \(SecureShellDropIn.folder)/*.conf\" at the top of "
      + "\(SecureShellDropIn.mainPath)")

  /// A file of another origin has the drop-in's name.
  static let occupied = SecureShellObstacle(
    reason: "\(SecureShellDropIn.path) already exists with different contents",
    hint: "keep what you need of it in another file, then: rm \(SecureShellDropIn.path)")

  /// sshd requires a key now.
  static let keyRequired = SecureShellObstacle(
    reason: "AuthenticationMethods requires a key now, and a password would replace it",
    hint:
      "to require a key and a code: --factors key+code; to give up the key: --factors password+code"
  )

  /// An earlier setting, which sshd uses instead.
  static func setBefore(
    _ setting: SecureShellDropIn.Occurrence, _ what: String
  ) -> SecureShellObstacle {
    SecureShellObstacle(
      reason: "\(setting.place) sets \(setting.keyword) before \(what)",
      hint: "sshd uses the first value that it reads: remove \(setting.place)")
  }

  /// Under a `Match` line, the new lines of the service would be reached without a key.
  static func codeAlone(_ setting: SecureShellDropIn.Occurrence) -> SecureShellObstacle {
    SecureShellObstacle(
      reason: "\(setting.place) lets users who have enrolled in with a code alone",
      hint:
        "remove the line, set \"AuthenticationMethods publickey,keyboard-interactive\" there, or "
        + "use --factors password+code")
  }

  /// sshd refuses its files. `complaint` is its last line of output.
  static func refused(_ command: String, _ complaint: String) -> SecureShellObstacle {
    let folder = complaint.split(separator: ": ").last.map { String($0) } ?? ""
    return SecureShellObstacle(
      reason: "\(command): \(complaint)",
      hint: complaint.hasPrefix("Missing privilege separation directory")
        ? "the service ssh creates it when it starts; without it: install -d -m 0755 \(folder)"
        : "correct sshd's files until sshd -t prints nothing")
  }

  /// sshd would use other values.
  static func overridden(_ differences: [(name: String, found: String)]) -> SecureShellObstacle {
    SecureShellObstacle(
      reason: differences.map { "\($0.name) would be \(VisibleText.escaping($0.found))" }
        .joined(separator: ", "),
      hint: "sshd -T shows the values in force; remove the other setting, or put \"Include "
        + "\(SecureShellDropIn.folder)/*.conf\" above it")
  }
}
