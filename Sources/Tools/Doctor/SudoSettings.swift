import MFAAdmin
import MFAPAMStack

/// The settings of sudo that decide what it asks for, for one user, account and command.
package struct SudoSettings {
  /// A setting of `Defaults` lines.
  package enum Name: String, CaseIterable {
    case authenticate
    case exemptGroup = "exempt_group"
    case rootPassword = "rootpw"
    case runAsPassword = "runaspw"
    case targetPassword = "targetpw"
    case pamService = "pam_service"
    case pamLoginService = "pam_login_service"
    case pamAskpassService = "pam_askpass_service"
    case pamAccountManagement = "pam_acct_mgmt"
    case timestampTimeout = "timestamp_timeout"
    case timestampType = "timestamp_type"
    case runAsDefault = "runas_default"
  }

  private var values: [Name: (value: SudoersValue, line: Int?)] = [:]

  /// Returns the value of a setting, or nil.
  subscript(_ name: Name) -> SudoersValue? { values[name]?.value }

  /// Returns the number of the `Defaults` line that sets the value, or nil.
  func line(_ name: Name) -> Int? { values[name]?.line }

  /// Returns the text of a setting, or nil if it is not set or switched off.
  func text(_ name: Name) -> String? {
    guard case .text(let text)? = self[name] else { return nil }
    return text
  }

  /// Returns whether a setting is on.
  func isOn(_ name: Name) -> Bool { self[name] == .flag(true) }

  /// The minutes during which sudo does not ask again; negative for ever.
  var timeout: Double {
    switch self[.timestampTimeout] {
    case .text(let text)?: Double(text) ?? -1
    case .flag, nil: 0
    }
  }

  /// The longest `timeout` that is not reported, in minutes.
  static let longestTimeout = 60.0

  /// Whether sudo asks once for a long time.
  var hasLongTimeout: Bool { timeout < 0 || timeout > Self.longestTimeout }

  /// Sets a value.
  mutating func set(_ name: Name, to value: SudoersValue, line: Int?) {
    values[name] = (value, line)
  }

  /// The settings that name PAM services, each with the command that uses the service.
  static let services: KeyValuePairs<Name, String> = [
    .pamService: "sudo", .pamLoginService: "sudo -i", .pamAskpassService: "sudo -A",
  ]

  /// Returns the setting that a `Defaults` option sets.
  static func setting(_ option: String, _ value: SudoersValue) -> (Name, SudoersValue)? {
    guard option == "tty_tickets" else { return Name(rawValue: option).map { ($0, value) } }
    // The old name of `timestamp_type`.
    return (.timestampType, .text(value == .flag(false) ? "global" : "tty"))
  }

  /// Returns whether a value makes sudo ask for less, or ask another account.
  static func weakens(_ name: Name, _ value: SudoersValue) -> Bool {
    switch name {
    case .authenticate, .pamAccountManagement: value == .flag(false)
    case .rootPassword, .runAsPassword, .targetPassword: value == .flag(true)
    case .exemptGroup, .pamService, .pamLoginService, .pamAskpassService: value != .flag(false)
    case .timestampTimeout:
      if case .text(let text) = value {
        !(0...longestTimeout).contains(Double(text) ?? -1)
      } else {
        false
      }
    case .timestampType: value == .text("global")
    case .runAsDefault: false
    }
  }
}

extension SudoersPolicy {
  /// Returns the settings for a user who runs a command as an account.
  ///
  /// sudo applies `Defaults` lines for commands after all others, and the last line that applies
  /// counts (`update_defaults` in defaults.c).
  func settings(
    for user: SudoersUser, as target: SudoersUser, _ command: SudoersCommand,
    on host: SudoersContext
  ) -> SudoSettings {
    var settings = SudoSettings()
    for (name, value) in host.version.builtIn { settings.set(name, to: value, line: nil) }
    // What `sudo -V` prints is for root. A setting of a file is therefore taken from the file.
    let inFiles = Set(
      defaults.compactMap { SudoSettings.setting($0.name, $0.value)?.0 })
    for (name, value) in host.version.inForce where !inFiles.contains(name) {
      settings.set(name, to: value, line: nil)
    }
    for isForCommands in [false, true] {
      for item in defaults where (item.scope == .commands) == isForCommands {
        guard let (name, value) = SudoSettings.setting(item.name, item.value) else { continue }
        let verdicts: SudoersVerdicts =
          switch item.scope {
          case .global: .allowed
          case .users: item.members.verdicts(user.match)
          case .hosts: item.members.verdicts(host.host.match)
          case .runAs: item.members.verdicts(target.match)
          case .commands: item.members.verdicts { command.match($0) }
          }
        guard verdicts.allows || verdicts.mayAllow && SudoSettings.weakens(name, value) else {
          continue
        }
        settings.set(name, to: value, line: item.line)
      }
    }
    return settings
  }
}

/// What `sudo -V` prints for root: the settings of this host's sudo.
package struct SudoVersion: Equatable {
  /// The files that sudo reads, the first that exists counts.
  package let paths: [String]
  /// The options that sudo was built with.
  private let options: Set<String>
  /// The lines of the output.
  private let lines: [String]
  /// The settings that sudo has read, as they apply to root.
  ///
  /// They also come from sources that are not files, and from `Defaults` lines that do not apply to
  /// other users.
  let inForce: [SudoSettings.Name: SudoersValue]

  /// Reads the output of `sudo -V`. Nil if it does not name the file of the policy: this sudo does
  /// not use sudoers, or is another program.
  package init?(_ output: [UInt8]) {
    lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    inForce = Self.inForce(lines)
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

  private static func inForce(_ lines: [String]) -> [SudoSettings.Name: SudoersValue] {
    var values: [SudoSettings.Name: SudoersValue] = [:]
    for name in SudoSettings.Name.allCases {
      if let sentence = flags[name] {
        values[name] = .flag(lines.contains { $0.hasPrefix(sentence) })
      } else if let heading = headings[name], let value = value(heading, lines) {
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

/// The PAM services that sudo uses, and whether they ask for a code. libpam ignores the case of names.
struct SudoServices {
  private let source: any StackSource
  private let memory = Memory()

  /// The services that were read.
  private final class Memory {
    var services: [String: Result<ServiceWithModule?, StackRefusal>] = [:]
    var paths: [String: String] = [:]
  }

  init(_ source: any StackSource) { self.source = source }

  /// Returns the service, or nil if it does not call the module. Its files are read once.
  func service(_ name: String) throws(StackRefusal) -> ServiceWithModule? {
    let name = name.lowercased()
    if let known = memory.services[name] { return try known.get() }
    let service = Result { () throws(StackRefusal) in
      try ServiceWithModule(Array(name.utf8), from: source)
    }
    memory.services[name] = service
    return try service.get()
  }

  /// Returns the path of the file that libpam reads for a service.
  func path(_ name: String) -> String {
    if let known = memory.paths[name] { return known }
    let path = readPath(name)
    memory.paths[name] = path
    return path
  }

  private func readPath(_ name: String) -> String {
    do throws(StackRefusal) {
      for name in [name.lowercased(), "other"] {
        if let file = try source.file(Array(name.utf8)) { return VisibleText.escaping(file.path) }
      }
    } catch {}
    return VisibleText.escaping(Array("/etc/pam.d/\(name)".utf8))
  }

  /// The services that sudo uses unless its rules name others.
  static let names = ["sudo", "sudo-i"]

  /// Whether users expect that sudo asks for a code.
  var areAsked: Bool { Self.names.contains { withModule($0) != nil } }

  /// Returns the service, or nil if it does not call the module or cannot be read.
  func withModule(_ name: String) -> ServiceWithModule? {
    do throws(StackRefusal) { return try service(name) } catch { return nil }
  }
}

/// What sudo does when a user runs a command: whether it asks, whom, and through which PAM service.
package struct SudoEffect: Hashable {
  /// What happens.
  package enum Kind: Hashable {
    /// sudo asks for nothing.
    case asksForNothing(Reason)
    /// sudo asks once, and then not again for these minutes; a negative number means for ever.
    case asksRarely(minutes: String)
    /// One code opens sudo in all terminals of the user.
    case asksOnceForAllTerminals
    /// sudo authenticates another account, by this setting, instead of the user who runs it.
    case asksOtherAccount(String, by: SudoSettings.Name)
    /// sudo uses this PAM service, which this setting names.
    case uses(service: String, by: SudoSettings.Name)
    /// sudo does not run the `account` lines of the PAM service.
    case skipsAccountLines(service: String)
  }

  /// Why sudo asks for nothing.
  package enum Reason: Hashable {
    /// The tag `NOPASSWD`.
    case tag
    /// `!authenticate`.
    case setting
    /// `exempt_group`.
    case group(String)
  }

  /// What causes the effect.
  package enum Source: Hashable {
    /// A user specification, by number.
    case specification(Int)
    /// A `Defaults` line, by number.
    case defaults(Int)
    /// No file: sudo was built with the setting, or has it from a directory.
    case elsewhere
  }

  package let kind: Kind
  package let source: Source
  /// The command.
  package let command: SudoersCommand
  /// True if the user can run every command, or a command that starts other commands.
  package let isAnyCommand: Bool
  /// The name of the account that the command runs as.
  package let target: String
  /// Whether that account is root.
  package let isAsRoot: Bool
}
