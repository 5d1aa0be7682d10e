/// What sshd's own settings mean for a user's sign-in: sshd decides whether and how it uses PAM.
package struct SecureShellRules {
  /// What sshd does with the `auth` lines of its service.
  package enum Effect: Equatable {
    /// Some way to sign in carries them out.
    case asksPAM
    /// Users can sign in, and sshd never carries the lines out. The text says why. sshd carries out the
    /// `account` lines unless `ignoresPAM`.
    case bypassesPAM(String, ignoresPAM: Bool)
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

  /// Derives the rules from the settings for one user.
  init(_ view: SSHDView, isRoot: Bool, _ service: ServiceWithModule, on host: any ExaminedHost) {
    guard case .known(let cases, let file, _) = view, let item = cases.first else {
      effect = nil
      deniesUnenrolled = false
      settings = nil
      findings = view.unchecked
      return
    }
    findings =
      DisabledPrompts.findings(service, view)
      + MethodsWithoutCode.findings(service, view, on: host)
      + UnprovenFirstFactor.findings(service, view)
    settings = item.settings
    let ways = service.ways(item.settings, isRoot: isRoot)
    deniesUnenrolled = !ways.isEmpty && ways.allSatisfy { $0.usesPAM && $0.deniesUnenrolled }
    effect = Self.effect(item.settings, isRoot: isRoot, service) { keywords in
      file.place(of: keywords, saying: item.settings, under: item.matches)
    }
  }

  private static func effect(
    _ settings: SSHDSettings, isRoot: Bool, _ service: ServiceWithModule,
    _ place: ([String]) -> String
  ) -> Effect {
    let forRoot = isRoot ? settings.value(of: "permitrootlogin") ?? "yes" : "yes"
    guard forRoot != "no" else {
      return .denies("sshd does not let root sign in: \(place(["permitrootlogin"]))")
    }
    guard settings.isOn("usepam") else {
      return .bypassesPAM("sshd does not use PAM: \(place(["usepam"]))", ignoresPAM: true)
    }
    let mayType = forRoot == "yes"
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
