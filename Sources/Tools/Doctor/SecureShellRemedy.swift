/// Settings of sshd that a hint may propose: with them, each way into sshd is sound.
///
/// MUST 1: no hint proposes settings with which a way proves no first factor or asks for no code.
/// (`SignInWayTests.hints`, `EndToEnd.UnprovenSignIns.hints`)
package enum SecureShellRemedy {
  /// A setting: the keyword and its value.
  typealias Change = (key: String, value: String)

  /// The words that introduce the settings for a key and then a code.
  static let keyThenCode =
    "require a key and then a code: \"AuthenticationMethods publickey,keyboard-interactive\""

  /// Returns a hint with the settings that make each way sound, or nil if no settings do.
  ///
  /// `changes` are settings that are proposed in any case.
  package static func hint(
    for settings: SSHDSettings, _ service: ServiceWithModule,
    changing changes: [(key: String, value: String)] = []
  ) -> String? {
    // With the settings alone, if that is enough.
    if !changes.isEmpty, isSound(settings.with(changes), service) {
      return "set \(text(changes)); \(reload)"
    }
    let password = proposal("keyboard-interactive", settings, service, changes)
    let key = proposal("publickey,keyboard-interactive", settings, service, changes)
    let onePrompt =
      service.takesPassword && settings.isOn("passwordauthentication")
      ? proposal("password", settings, service, changes) : nil
    let first = onePrompt ?? password
    switch (first, key) {
    case (let first?, let key?):
      return "set \(text(first)) or, for a key and then a code, \(text(key)); \(reload)"
    case (let first?, nil): return "set \(text(first)); \(reload)"
    case (nil, let key?):
      return "set \(text(key)), because the auth lines of the service verify no password; \(reload)"
    case (nil, nil): return nil
    }
  }

  /// What to do after a setting was changed.
  static let reload = "then run sshd -t, and reload sshd if it prints nothing"

  /// Returns the settings for a list of methods, with those that enable the methods, or nil if some way
  /// is not sound with them.
  private static func proposal(
    _ methods: String, _ settings: SSHDSettings, _ service: ServiceWithModule, _ changes: [Change]
  ) -> [Change]? {
    let wanted: [Change] = [
      ("UsePAM", "yes"), ("PubkeyAuthentication", "yes"), ("KbdInteractiveAuthentication", "yes"),
      ("PasswordAuthentication", "yes"),
    ].filter { change in
      switch change.0 {
      case "PubkeyAuthentication": methods.contains("publickey")
      case "KbdInteractiveAuthentication":
        methods.contains("keyboard-interactive") && !settings.asksByKeyboard
      case "PasswordAuthentication": methods == "password"
      case _: true
      }
    }.filter { !settings.isOn($0.0.lowercased()) }
    let proposed: [Change] =
      changes.filter { change in !wanted.contains { $0.key == change.key } } + wanted
      + [("AuthenticationMethods", methods)]
    return isSound(settings.with(proposed), service) ? proposed : nil
  }

  /// Returns whether there is a way into sshd, and each one is sound.
  private static func isSound(_ settings: SSHDSettings, _ service: ServiceWithModule) -> Bool {
    let ways = service.ways(settings)
    return !ways.isEmpty && ways.allSatisfy(\.isSound)
  }

  private static func text(_ changes: [Change]) -> String {
    changes.map { "\"\($0.key) \($0.value)\"" }.joined(separator: " and ")
  }
}
