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
