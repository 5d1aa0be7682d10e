/// What `sudo -V` prints for root: the settings of this host's sudo.
package struct SudoVersion: Equatable {
  /// The files that sudo reads, the first that exists counts.
  package let paths: [String]
  /// The options that sudo was built with.
  private let options: Set<String>
  /// The lines of the output.
  private let lines: [String]

  /// Reads the output of `sudo -V`. Nil if it does not name the file of the policy: this sudo does
  /// not use sudoers, or is another program.
  package init?(_ output: [UInt8]) {
    lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    guard let path = Self.value("Sudoers path: ", lines) else { return nil }
    paths = path.split(separator: ":").map(String.init)
    options = Set(
      (Self.value("Configure options: ", lines) ?? "").split(separator: " ")
        .map { String($0.prefix { $0 != "=" }) })
  }

  private static func value(_ heading: String, _ lines: [String]) -> String? {
    lines.first { $0.hasPrefix(heading) }.map { String($0.dropFirst(heading.count)) }
  }

  /// Whether sudo reads rules from SSSD or a directory if nsswitch.conf says so.
  package func supports(_ source: String) -> Bool {
    switch source {
    case "files": true
    case "sss": options.contains("--with-sssd")
    case "ldap": options.contains("--with-ldap")
    case _: false
    }
  }

  /// Whether sudo looks up the full name of the host.
  package var usesFullName: Bool {
    lines.contains("Require fully-qualified hostnames in the sudoers file")
  }

  /// The settings that apply if no `Defaults` line says otherwise.
  var builtIn: [SudoSettings.Name: SudoersValue] {
    let loginService = options.contains("--with-pam-login") ? "sudo-i" : "sudo"
    return [
      .authenticate: .flag(true), .pamService: .text("sudo"),
      .pamLoginService: .text(loginService), .pamAccountManagement: .flag(true),
      .timestampTimeout: .text("5"), .timestampType: .text("tty"), .runAsDefault: .text("root"),
    ]
  }

  /// The settings that sudo has read, as they apply to root.
  ///
  /// They also come from sources that are not files, and from `Defaults` lines that do not apply to
  /// other users.
  var inForce: [SudoSettings.Name: SudoersValue] {
    var values: [SudoSettings.Name: SudoersValue] = [:]
    for name in SudoSettings.Name.allCases {
      if let sentence = Self.flags[name] {
        values[name] = .flag(lines.contains { $0.hasPrefix(sentence) })
      } else if let heading = Self.headings[name], let value = Self.value(heading, lines) {
        values[name] = .text(String(value.prefix { $0 != " " }))
      }
    }
    return values
  }

  /// The beginnings of the lines that sudo prints for settings that are on. The ends differ between
  /// versions.
  private static let flags: [SudoSettings.Name: String] = [
    .authenticate: "Require users to authenticate by default",
    .rootPassword: "Prompt for root's password",
    .runAsPassword: "Prompt for the runas_default user's password",
    .targetPassword: "Prompt for the target user's password",
    .pamAccountManagement: "Perform PAM account validation management",
  ]
  /// The beginnings of the lines that sudo prints for other settings.
  private static let headings: [SudoSettings.Name: String] = [
    .exemptGroup: "Users in this group are exempt from password and PATH requirements: ",
    .pamService: "PAM service name to use: ",
    .pamLoginService: "PAM service name to use for login shells: ",
    .pamAskpassService: "PAM service name to use when sudo is run with the -A option: ",
    .timestampTimeout: "Authentication timestamp timeout: ",
    .timestampType: "Type of authentication timestamp record: ",
    .runAsDefault: "Default user to run commands as: ",
  ]
}
