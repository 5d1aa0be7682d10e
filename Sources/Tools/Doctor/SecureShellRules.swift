import MFAAdmin

/// What sshd's own settings mean for a user's sign-in: sshd decides whether and how it uses PAM.
package struct SecureShellRules {
  /// What sshd does with the `auth` lines of its service.
  package enum Effect: Equatable {
    /// Some way to sign in carries them out.
    case asksPAM
    /// Users can sign in, and sshd never carries the lines out. The text says why. sshd carries out the
    /// `account` lines unless `ignoresPAM`.
    case bypassesPAM(String, ignoresPAM: Bool)
    /// sshd carries out the lines of this PAM service instead, which asks for no code. The text says why.
    case asksOther([UInt8], String)
    /// The user cannot sign in. The text says why.
    case denies(String)
  }

  /// What sshd does; nil if its settings are not known.
  package let effect: Effect?
  /// Whether pam_mfa.so denies the user if no code is asked for, because no way proves anything
  /// else.
  package let deniesUnenrolled: Bool
  /// The settings for the user, or nil if they are not known.
  package let settings: SSHDSettings?
  /// The settings that let the user sign in without a code or without a first factor, or prevent the
  /// prompt.
  package let findings: [Finding]
  /// The address that the user connects from, or nil if it is not known.
  var address: String?
  /// Returns the file and line that set one of these keywords for the user.
  let place: ([String]) -> String

  /// Derives the rules from the settings for one user.
  init(_ view: SSHDView, isRoot: Bool, _ service: ServiceWithModule, on host: any ExaminedHost) {
    guard case .known(let cases, let file, _) = view, let item = cases.first else {
      effect = nil
      deniesUnenrolled = false
      settings = nil
      findings = view.unchecked
      place = { _ in SSHDFile.path }
      return
    }
    let examinations: [any SecureShellExamination.Type] = [
      DisabledPrompts.self, OtherPAMService.self, MethodsWithoutCode.self,
    ]
    findings =
      examinations.flatMap { $0.findings(service, view, on: host) }
      + UnprovenFirstFactor.findings(service, view)
    settings = item.settings
    let ways = service.ways(item.settings, isRoot: isRoot)
    deniesUnenrolled = !ways.isEmpty && ways.allSatisfy { $0.usesPAM && $0.deniesUnenrolled }
    let place = { (keywords: [String]) in
      file.place(of: keywords, saying: item.settings, under: item.choice.matches)
    }
    self.place = place
    effect =
      Self.refusal(item.settings, isRoot: isRoot, place)
      ?? OtherPAMService.name(item.settings, besides: service, on: host).map {
        .asksOther(
          Array($0.utf8),
          "sshd uses the PAM service \(VisibleText.escaping($0)): \(place(["pamservicename"]))")
      } ?? Self.effect(item.settings, isRoot: isRoot, service, place)
  }

  /// Returns that sshd lets the user in on no way, or nil.
  private static func refusal(
    _ settings: SSHDSettings, isRoot: Bool, _ place: ([String]) -> String
  ) -> Effect? {
    if settings.isOn("refuseconnection") {
      return .denies("sshd ends the connection: \(place(["refuseconnection"]))")
    }
    guard !isRoot || settings.value(of: "permitrootlogin") != "no" else {
      return .denies("sshd does not let root sign in: \(place(["permitrootlogin"]))")
    }
    guard settings.isOn("usepam") || !settings.openLists(isRoot: isRoot).isEmpty else {
      return .denies(
        "sshd does not use PAM (\(place(["usepam"]))), which the methods require: "
          + place(["authenticationmethods"]))
    }
    return nil
  }

  private static func effect(
    _ settings: SSHDSettings, isRoot: Bool, _ service: ServiceWithModule,
    _ place: ([String]) -> String
  ) -> Effect {
    guard settings.isOn("usepam") else {
      return .bypassesPAM("sshd does not use PAM: \(place(["usepam"]))", ignoresPAM: true)
    }
    let mayType = !isRoot || (settings.value(of: "permitrootlogin") ?? "yes") == "yes"
    if mayType, settings.hasWayWithPAM, settings.canAsk(service) { return .asksPAM }
    let methods = settings.waysWithoutPAM
    guard methods.isEmpty else {
      return .bypassesPAM(
        "sshd requires only \(methods.joined(separator: " or ")): "
          + place(["authenticationmethods"]), ignoresPAM: false)
    }
    guard mayType else {
      return .denies(
        "sshd lets root sign in with a key only, but requires a prompt: "
          + place(["permitrootlogin"]))
    }
    return .denies(
      "sshd cannot ask for a code: "
        + place(["kbdinteractiveauthentication", "challengeresponseauthentication"]))
  }
}

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

  /// Returns a hint with the settings that make each way sound, or to correct the service's lines if no
  /// settings do.
  static func advice(
    for settings: SSHDSettings, _ service: ServiceWithModule, changing changes: [Change] = []
  ) -> String {
    hint(for: settings, service, changing: changes)
      ?? "correct the auth lines of \(service.visibleName) first: mfa-admin doctor"
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
