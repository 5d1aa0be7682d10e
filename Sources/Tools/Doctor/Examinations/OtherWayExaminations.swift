import MFAAdmin
import MFABase
import MFAModel
import MFAPAMStack
import MFAWire

/// Finds sshds that run, or will run, with another configuration file or other settings than
/// /etc/ssh/sshd_config has, and that let users in without a code.
enum OtherServers: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, let servers = snapshot.sshdServers else { return [] }
    return servers.findings + servers.others.flatMap { findings($0, service, snapshot) }
  }

  private static func findings(
    _ other: SSHDServers.Other, _ service: ServiceWithModule, _ snapshot: HostSnapshot
  ) -> [Finding] {
    let options = VisibleText.escaping(other.server.options.joined(separator: " "))
    var service = service
    if other.server.name != RunningServer.usualName, !hasSessionProgram(snapshot.host) {
      // The name of the program is the name of the PAM service.
      guard
        let named = snapshot.servicesWithModule.first(where: {
          $0.name == Array(other.server.name.utf8)
        })
      else { return [otherService(other)] }
      service = named
    }
    let view = SSHDView(
      of: snapshot.host, users: [], accounts: snapshot.accounts, server: other.server)
    guard case .known(_, _, let unchecked) = view else {
      return view.unchecked.filter { $0.severity != .note }.map { finding in
        .unchecked(
          "the sshd with the options \(options) (\(other.source))",
          at: other.server.file.map { VisibleText.escaping($0) } ?? other.place, finding.message)
      }
    }
    return unchecked
      + view.findings { settings, description, place in
        let isUnproven = service.ways(settings).contains { $0.firstFactor == .missing }
        guard
          let way = settings.wayWithoutPAM ?? (isUnproven ? "a code alone is enough" : nil)
        else { return [] }
        let keyword = settings.isOn("usepam") ? "authenticationmethods" : "usepam"
        // An option takes precedence over a line of the main file.
        let line = other.server.file == nil ? other.place : place([keyword])
        return [
          Finding(
            severity: .error, code: "other-sshd", services: [service.name],
            place: line,
            message:
              "an sshd with the options \(options) (\(other.source)) lets users in without "
              + "\(settings.wayWithoutPAM == nil ? "a first factor" : "a code")\(description): \(way)",
            hint: (SecureShellRemedy.hint(for: settings, service, changing: pam(settings))
              ?? "give it the settings of the main sshd") + "; or stop it")
        ]
      }
  }

  /// Whether sshd is of version 9.8 or later, whose sessions always have the PAM service `sshd`.
  private static func hasSessionProgram(_ host: any ExaminedHost) -> Bool {
    ["/usr/lib/openssh/sshd-session", "/usr/libexec/openssh/sshd-session"].contains { path in
      ResolvedPath(path, on: host).end != nil
    }
  }

  private static func otherService(_ other: SSHDServers.Other) -> Finding {
    let name = VisibleText.escaping(other.server.name)
    return Finding(
      severity: .error, code: "other-sshd", services: [Array(other.server.name.utf8)],
      place: other.place,
      message:
        "an sshd under the name \(name) (\(other.source)) uses the PAM service \(name), which does not ask for a "
        + "code: it lets users in without one",
      hint:
        "start it as /usr/sbin/sshd; or give it the lines of sshd: cp /etc/pam.d/sshd /etc/pam.d/\(name); or stop it"
    )
  }

  /// The setting without which sshd calls PAM for nothing.
  private static func pam(_ settings: SSHDSettings) -> [(key: String, value: String)] {
    settings.isOn("usepam") ? [] : [("UsePAM", "yes")]
  }
}

/// Finds services that open the same door as a service that asks for a code, and do not ask for one.
enum SiblingServices: Examination {
  /// A way in that several services share.
  private struct Door {
    /// The services that ask for a code.
    let guarded: [String]
    /// The other services.
    let siblings: [String]
    /// What users get through a sibling, as the end of a sentence.
    let effect: String
    /// Whether the same program uses the siblings. Other programs may be left out on purpose.
    var isOneProgram = false
  }

  private static let greeters = [
    "gdm-password", "gdm3", "lightdm", "sddm", "lxdm", "xdm", "greetd", "slim", "wdm", "kdm",
  ]

  private static let doors = [
    Door(
      guarded: ["sudo"], siblings: ["sudo-i"],
      effect: "sudo -i gives root's rights for the password alone", isOneProgram: true),
    Door(
      guarded: ["su"], siblings: ["su-l"],
      effect: "su -l changes the user for the password alone", isOneProgram: true),
    Door(
      guarded: ["sudo", "su"], siblings: ["polkit-1"],
      effect: "pkexec, run0 and the dialogs of a desktop give root's rights for the password alone"),
    Door(
      guarded: ["login"], siblings: greeters + ["remote", "cockpit"],
      effect: "it signs users in for the password alone"),
  ]

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let asking = Set(snapshot.servicesWithModule.map(\.visibleName))
    let present = Set(snapshot.services.map { VisibleText.escaping($0) })
    var reported: Set<String> = []
    var findings: [Finding] = []
    for door in doors {
      guard let guarded = door.guarded.first(where: { asking.contains($0) }) else { continue }
      for sibling in door.siblings
      where present.contains(sibling) && !asking.contains(sibling)
        && reported.insert(sibling).inserted
      {
        findings.append(
          Finding(
            severity: door.isOneProgram ? .warning : .note, code: "sibling-without-code",
            services: [Array(sibling.utf8)], place: path(of: sibling, snapshot.host),
            message: "\(guarded) asks for a code and this service does not: \(door.effect)",
            hint: "enable it too: " + SignInProgram.enable(Array(sibling.utf8))
              + "; or accept it: mfa-admin doctor accept --reason TEXT sibling-without-code "
              + path(of: sibling, snapshot.host)))
      }
    }
    return findings
  }

  /// Returns the path of a service's file, which can be the vendor's.
  private static func path(of service: String, _ host: any ExaminedHost) -> String {
    do throws(StackRefusal) {
      if let file = try host.stacks.file(Array(service.utf8)) {
        return VisibleText.escaping(file.path)
      }
    } catch {
      // `UnreadableStack` reports the file.
    }
    return "\(InstalledPath.services)/\(service)"
  }
}

/// Finds rules and settings of sudo with which users need no code, or the code of another account.
///
/// sudo calls PAM only if its own rules say so, and chooses the service and the account.
enum SudoWithoutCode: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard !snapshot.servicesWithModule.isEmpty else { return [] }
    return findings(snapshot.rules.sudoers, snapshot.rules) { users, policy in
      users.all(policy)
    }
  }

  /// Returns the findings about one user, from sudo itself if not all rules are in files.
  static func findings(for user: String, _ rules: HostRules) -> [Finding] {
    let view = rules.sudoers.isWhole ? rules.sudoers : SudoersView(of: rules.host, for: user)
    // To look up the groups of each of many users takes long.
    if case .known(let known) = view, !known.policy.hasSettingsForGroups,
      findings(view, rules, of: { users, _ in [users.account(user, hasKnownGroups: false)] })
        .isEmpty
    {
      return []
    }
    return findings(view, rules) { users, _ in [users.account(user)] }
  }

  private static func findings(
    _ view: SudoersView, _ rules: HostRules,
    of concerned: (SudoersUsers, SudoersPolicy) -> [SudoersUser]
  ) -> [Finding] {
    let services = rules.sudoServices
    switch view {
    case .notInstalled: return []
    case .unknown(let finding): return services.areAsked ? [finding] : []
    case .known(let known):
      let users = SudoersUsers(rules, known.sources)
      var report = SudoReport(known, users, services, rules)
      for user in concerned(users, known.policy) { report.add(user) }
      return report.isAsked ? report.findings + known.unchecked : []
    }
  }
}

extension Doctor {
  /// The code of the finding that sudo asks for no code. An error means: for no command.
  package static let sudoWithoutCode = "sudo-without-code"
  /// The user is asked for the password and the code of another account.
  static let sudoOtherAccount = "sudo-other-account"
  /// What lets users run commands without a code, if the finding is an error.
  static let sudoBypasses = [sudoWithoutCode, "sudo-other-service", sudoOtherAccount]

  /// Returns the findings about what sudo asks one user for, if a service is one of sudo's.
  package static func sudoFindings(
    for user: UserName, at service: [UInt8], _ rules: HostRules
  ) -> [Finding] {
    guard SudoServices.names.contains(String(decoding: service, as: UTF8.self)) else { return [] }
    return SudoWithoutCode.findings(for: String(decoding: user.bytes, as: UTF8.self), rules)
  }
}

/// Finds services at which root can be asked for a code but has no factor.
enum RootWithoutFactor: Examination {
  private static let root = Array("root".utf8)
  private static let keys = "/root/.ssh/authorized_keys"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    var findings = snapshot.servicesWithModule.compactMap { finding($0, snapshot) }
    if let finding = keysAlone(snapshot) { findings.append(finding) }
    return findings
  }

  /// Returns whether root can be asked for a code at a service.
  private static func mayBeAsked(_ service: ServiceWithModule, _ snapshot: HostSnapshot) -> Bool {
    if service.isNamed("sshd") {
      return snapshot.sshd.root?.value(of: "permitrootlogin") == "yes"
    }
    if isSudo(service) { return runsAccountLines(snapshot.rules) }
    return service.isNamed("login", "su", "su-l", "remote")
  }

  /// Returns whether sudo certainly runs its `account` lines: no setting is about that.
  private static func runsAccountLines(_ rules: HostRules) -> Bool {
    guard case .known(let known) = rules.sudoers else { return true }
    let setting = SudoSettings.Name.pamAccountManagement.rawValue
    return !known.policy.defaults.contains { $0.name == setting }
  }

  /// Returns whether a service is sudo's, which asks root for nothing and runs only the `account` lines.
  private static func isSudo(_ service: ServiceWithModule) -> Bool {
    service.isNamed("sudo")
  }

  private static func finding(_ service: ServiceWithModule, _ snapshot: HostSnapshot) -> Finding? {
    guard mayBeAsked(service, snapshot), let configuration = snapshot.configuration(of: service)
    else {
      return nil
    }
    let account = Account(name: root, uid: 0)
    let settings = configuration.settings(
      for: Subject(user: root, service: service.name, address: nil) { group in
        snapshot.host.isMember(account, of: group)
      })
    // In the other states root is admitted without a code.
    guard settings.state == .enabled else { return nil }
    guard case .success(let stored) = snapshot.stored else { return nil }
    let report = stored.first { $0.name == root }
    let isConsole = service.isNamed("login")
    let console = isConsole ? ", and the console is the last way in" : ""
    guard report == nil else {
      if !isSudo(service), let obstacle = obstacle(report, settings, service) {
        return Finding(
          severity: .error, code: "root-locked-out", services: [service.name], place: service.place,
          message: "root is denied: \(obstacle)\(console)",
          hint:
            "add a tenant for root with \"factors = totp, phone\"; then enrol an authenticator app for "
            + "root, in a shell of root: mfa-enroll --name app")
      }
      guard isConsole else { return nil }
      return Finding(
        severity: .note, code: "root-console", services: [service.name], place: service.place,
        message:
          "root is asked for a code at the console too: if the store or the clock fails, the "
          + "boot menu is the only way in",
        hint: "keep one of root's recovery codes at hand, or leave pam_mfa.so out of this file")
    }
    guard mustHaveFactor(settings, snapshot) else {
      guard service.isNamed("sshd") else { return nil }
      return Finding(
        severity: .warning, code: "root-without-code", services: [service.name],
        place: service.place,
        message:
          "root signs in by ssh without a code: PermitRootLogin is \"yes\", and root has no "
          + "factor",
        hint:
          "set \"PermitRootLogin no\"; or enrol root, in a shell of root: mfa-enroll --name phone")
    }
    guard isSudo(service) || settings.canEnroll else {
      return Finding(
        severity: .error, code: "root-locked-out", services: [service.name], place: service.place,
        message:
          "root is denied: a factor is required, only phones are allowed, and no code can be sent to "
          + "one" + console,
        hint:
          "set gateway and regions, which mfa-gateway(7) describes; or add a tenant for root with "
          + "\"enrollment = self-service\"")
    }
    let enrolling = "mfa-enroll " + (settings.allows(.totp) ? "--name phone" : "phone NUMBER")
    if case .certain = snapshot.accountLine(of: service) {
      return Finding(
        severity: .warning, code: "root-not-enrolled", services: [service.name],
        place: service.place,
        message: isSudo(service)
          ? "root is denied where it runs sudo, as scripts do: a factor is required, and root has none"
          : "root has no factor and has to enrol at the next sign-in\(console)",
        hint: "enrol root now, in a shell of root: \(enrolling)")
    }
    guard !isSudo(service) else { return nil }
    return Finding(
      severity: .error, code: "root-locked-out", services: [service.name], place: service.place,
      message: "root is denied: a factor is required, root has none and cannot enrol here"
        + console,
      hint:
        "enrol root now, in a shell of root: \(enrolling); or add a tenant for root with "
        + "\"enrollment = self-service\"")
  }

  /// Returns why root's factors are not accepted at a service, or nil if one is, or a recovery code.
  private static func obstacle(
    _ report: UserReport?, _ settings: Settings, _ service: ServiceWithModule
  ) -> String? {
    guard case .usable(let summary)? = report?.content, summary.isEnrolled,
      summary.recoveryCodes == 0, summary.grants.isEmpty
    else { return nil }
    return Decision.obstacle(
      hasApp: summary.factors.contains { !$0.isPhone },
      hasPhone: summary.factors.contains { $0.isPhone }, settings,
      SignInRequest(
        user: root, service: service.name, remoteHost: nil, arguments: service.arguments))
  }

  private static func mustHaveFactor(_ settings: Settings, _ snapshot: HostSnapshot) -> Bool {
    switch settings.enrollment {
    case .selfService: return false
    case .required: return true
    case .offered:
      do throws(AdminError) {
        return !settings.offer.allowsPostponing(afterSignIns: 0, now: try snapshot.host.now())
      } catch {
        return true
      }
    }
  }

  /// Returns a finding if PermitRootLogin admits root with a key only, while AuthenticationMethods
  /// also requires a prompt.
  private static func keysAlone(_ snapshot: HostSnapshot) -> Finding? {
    guard let service = snapshot.sshdService, case .known(_, let file, _) = snapshot.sshd,
      let settings = snapshot.sshd.root, let lists = settings.methodLists,
      ["prohibit-password", "without-password", "forced-commands-only"]
        .contains(settings.value(of: "permitrootlogin") ?? ""),
      lists.allSatisfy({ $0.contains("keyboard-interactive") || $0.contains("password") })
    else { return nil }
    do throws(AdminError) {
      guard let status = try snapshot.host.status(of: keys), status.size > 0 else {
        return settings.keySource.map { source in
          .unchecked(
            "whether root signs in by ssh",
            at: file.place(of: ["permitrootlogin"], saying: settings),
            "\(source), and AuthenticationMethods requires a prompt, which root is allowed only with "
              + "PermitRootLogin \"yes\"")
        }
      }
    } catch {
      return .unchecked("whether root has keys", error)
    }
    return Finding(
      severity: .warning, code: "root-keys-refused", services: [service.name],
      place: file.place(of: ["permitrootlogin"], saying: settings),
      message: "root has keys in \(keys) but cannot sign in by ssh: AuthenticationMethods "
        + "requires a prompt, which root is allowed only with PermitRootLogin \"yes\"",
      hint: "set \"PermitRootLogin no\" if root must not sign in by ssh; otherwise set "
        + "\"PermitRootLogin yes\" and enrol root")
  }
}
