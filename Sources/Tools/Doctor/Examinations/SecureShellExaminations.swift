import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack

/// An examination of sshd's settings, also of those for one user alone.
protocol SecureShellExamination: Examination {
  /// Returns the findings about the connections that a view of sshd's settings describes.
  static func findings(
    _ service: ServiceWithModule, _ sshd: SSHDView, on host: any ExaminedHost
  ) -> [Finding]
}

extension SecureShellExamination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService else { return [] }
    return findings(service, snapshot.sshd, on: snapshot.host)
  }
}

/// Finds sshd settings that disable keyboard-interactive or PAM, so that sshd cannot ask for a
/// code.
///
/// Also reports the settings of sshd that could not be determined.
enum DisabledPrompts: SecureShellExamination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService else { return [] }
    return snapshot.sshd.unchecked + findings(service, snapshot.sshd, on: snapshot.host)
  }

  static func findings(
    _ service: ServiceWithModule, _ sshd: SSHDView, on _: any ExaminedHost
  ) -> [Finding] {
    sshd.findings { settings, description, place in
      guard settings.isOn("usepam") else {
        return [
          Finding(
            severity: .error, code: "use-pam-off", services: [service.name],
            place: place(["usepam"]),
            message: "no user is asked for a code over ssh\(description): UsePAM is no",
            hint: SecureShellRemedy.advice(
              for: settings, service, changing: [("UsePAM", "yes")]))
        ]
      }
      guard !settings.canAsk(service) else { return [] }
      return [
        Finding(
          severity: .error, code: "keyboard-interactive-off", services: [service.name],
          place: place(["kbdinteractiveauthentication", "challengeresponseauthentication"]),
          message:
            "no user can enter a code over ssh\(description): KbdInteractiveAuthentication is no, "
            + "but \(service.place) asks for a code",
          hint: SecureShellRemedy.advice(
            for: settings, service, changing: [("KbdInteractiveAuthentication", "yes")]))
      ]
    }
  }
}

/// Finds PAMServiceName (OpenSSH 10) with a PAM service that asks for no code.
enum OtherPAMService: SecureShellExamination {
  static func findings(
    _ service: ServiceWithModule, _ sshd: SSHDView, on host: any ExaminedHost
  ) -> [Finding] {
    sshd.findings { settings, description, place in
      guard settings.isOn("usepam"), let name = name(settings, besides: service, on: host) else {
        return []
      }
      return [
        Finding(
          severity: .error, code: "other-pam-service", services: [service.name],
          place: place(["pamservicename"]),
          message: "no user is asked for a code over ssh\(description): sshd uses the PAM service "
            + "\(VisibleText.escaping(name)), which asks for none",
          hint: "remove the line, then: systemctl reload ssh")
      ]
    }
  }

  /// Returns the PAM service that sshd uses with some settings, if it does not ask for a code and is another one than
  /// `service`.
  static func name(
    _ settings: SSHDSettings, besides service: ServiceWithModule, on host: any ExaminedHost
  ) -> String? {
    let name = settings.service
    guard Array(name.utf8) != service.name else { return nil }
    do throws(StackRefusal) {
      let other = try ServiceWithModule(Array(name.utf8), from: host.stacks)
      return other?.asksForCode == true ? nil : name
    } catch {
      return name
    }
  }
}

/// Finds files among the configuration's drop-ins that are not read because of their names.
enum IgnoredDropIns: Examination {
  private static let folder = "\(InstalledPath.dropIns)"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let names: [String]
    do throws(AdminError) { names = try snapshot.host.names(in: folder) } catch {
      // `Ownership` reports a folder that cannot be used.
      return []
    }
    let ignored = names.filter { name in
      // What `mfa-admin config` keeps of the file before.
      let kept = name.hasSuffix(".old") && names.contains(String(name.dropLast(".old".count)))
      return !kept && !Configuration.isDropIn(Array(name.utf8))
    }
    return ignored.sorted().map { name in
      Finding(
        severity: .warning, code: "drop-in-ignored",
        place: "\(folder)/\(VisibleText.escaping(name))",
        message: "is not read, so its settings do not apply: the name must consist of letters, "
          + "digits, dots, underscores and hyphens, not begin with a dot, and end in .conf",
        hint: "rename it, or move it out of this folder")
    }
  }
}

/// Finds ssh authentication methods that bypass PAM and therefore never ask for a code.
enum MethodsWithoutCode: SecureShellExamination {
  static func findings(
    _ service: ServiceWithModule, _ sshd: SSHDView, on host: any ExaminedHost
  ) -> [Finding] {
    sshd.findings { settings, description, place in
      // `DisabledPrompts` reports that PAM is off, in which case no user is asked for a code.
      guard settings.isOn("usepam") else { return [] }
      let methods = settings.waysWithoutPAM
      guard !methods.isEmpty else { return [] }
      guard settings.methodLists != nil else {
        return [
          finding(
            service, settings, place(["authenticationmethods"]),
            "users who sign in by ssh with \(methods.joined(separator: " or "))\(description) are never "
              + "asked for a code: AuthenticationMethods does not require another method")
        ]
      }
      let shown = methods.joined(separator: " ")
      let line = place(["authenticationmethods"])
      let message =
        "users who sign in by ssh with \(VisibleText.escaping(shown))\(description) are never asked for "
        + "a code: these methods do not use PAM"
      guard !isEnabledExemption(line, host) else {
        return [
          Finding(
            severity: .note, code: "exempt-group", services: [service.name], place: line,
            message: message, hint: "the option --except-group of enable set this up")
        ]
      }
      return [finding(service, settings, line, message)]
    }
  }

  /// Returns whether a line is in a file that `mfa-admin enable` wrote and that has not been edited since:
  /// it then contains no exemption but those that were asked for.
  private static func isEnabledExemption(_ place: String, _ host: any ExaminedHost) -> Bool {
    guard case .success(let services) = host.recordedServices() else { return false }
    let path = Acceptance.Subject.split(place).path
    return services.contains { service in
      service.files.contains {
        VisibleText.escaping($0.path) == path && $0.isUnchanged
      }
    }
  }

  private static func finding(
    _ service: ServiceWithModule, _ settings: SSHDSettings, _ place: String, _ message: String
  ) -> Finding {
    Finding(
      severity: .error, code: "methods-without-code", services: [service.name], place: place,
      message: message,
      hint: SecureShellRemedy.advice(for: settings, service))
  }
}

/// Finds an sshd that has not read its files since they changed. What the other examinations say about sshd is
/// what its files say.
enum StaleServer: SingleExamination {
  static let subject = "whether the running sshd has read its files"

  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard let processes = snapshot.sshdServers?.processes,
      case .known(let cases, let file, _) = snapshot.sshd
    else { return nil }
    return try finding(processes, cases.first?.settings, file, on: snapshot.host)
  }

  /// Returns the finding about processes of sshd with the main configuration, whose settings and files are now these.
  static func finding(
    _ processes: [Int32], _ settings: SSHDSettings?, _ file: SSHDFile, on host: any ExaminedHost
  ) throws(AdminError) -> Finding? {
    guard !processes.isEmpty else { return nil }
    // sshd writes this file when it starts, and each time that it is reloaded.
    let path = settings?.value(of: "pidfile") ?? "/run/sshd.pid"
    guard path != "none", let status = ResolvedPath(path, on: host).end,
      let text = try host.text(of: path),
      let process = Int32(String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }),
      processes.contains(process)
    else {
      return .unchecked(
        subject, at: VisibleText.escaping(path), "the file does not name its process",
        severity: .note)
    }
    let begun = status.changedAt
    guard let last = newest(file, host), last.time > begun else { return nil }
    return Finding(
      severity: .warning, code: "sshd-not-reloaded", services: [Array("sshd".utf8)],
      place: VisibleText.escaping(last.path),
      message:
        "was changed at \(shown(last.time)), and the running sshd (process \(process)) was started or reloaded "
        + "at \(shown(begun)): users meet the settings from before the change",
      hint: "see whether it is valid: sshd -t; then: systemctl reload ssh")
  }

  /// Returns the file or folder of the configuration that changed last, and when. A folder changes when a file
  /// is added, renamed or removed.
  private static func newest(
    _ file: SSHDFile, _ host: any ExaminedHost
  ) -> (path: String, time: Int64)? {
    let folders = file.includes.flatMap(\.patterns).map { pattern in
      let path = pattern.hasPrefix("/") ? pattern : "\(InstalledPath.sshdFolder)/" + pattern
      return "/" + path.split(separator: "/").dropLast().joined(separator: "/")
    }
    return (file.files + folders).compactMap { path in
      ResolvedPath(path, on: host).end.map { (path, $0.changedAt) }
    }.max { $0.1 < $1.1 }
  }

  private static func shown(_ nanoseconds: Int64) -> String {
    Timestamp(nanoseconds / 1_000_000_000)?.full ?? "an unknown time"
  }
}

/// Finds users who have ssh keys, or may have them, and for whom no way into sshd is left because they
/// have no password.
enum RefusedKeys: Examination {
  /// The maximum number of users for whom sshd is asked because their settings were not read yet.
  private static let mostQuestions = 32

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, needsPassword(service),
      case .known(let cases, let file, _) = snapshot.sshd, let general = cases.first?.settings
    else { return [] }
    let known = snapshot.rules.usersWithKeysAlone(AuthorizedKeysFiles(general))
    var questions = mostQuestions
    let refused = refused(known, by: service, snapshot, &questions)
    var findings: [Finding] = []
    if let first = refused.users.first {
      findings.append(
        Finding(
          severity: .warning, code: "keys-refused", services: [service.name],
          place: file.place(of: ["authenticationmethods"], saying: first.settings),
          message:
            "users who have keys but no password cannot sign in by ssh, because a password is "
            + "required: \(NameList.text(refused.users.map(\.user)))\(refused.note)",
          hint:
            "give them a password, require a key and a code (USERS WITH KEYS ONLY in man "
            + "mfa-operation), or exempt them deliberately"))
    }
    guard let source = cases.compactMap(\.settings.keySource).first else { return findings }
    // Their keys are in no file.
    let others = snapshot.rules.usersWithoutPassword().filter { !known.contains($0) }
    let doubtful = Self.refused(others, by: service, snapshot, &questions) {
      $0.keySource != nil
    }
    if let first = doubtful.users.first {
      findings.append(
        .unchecked(
          "whether users without a password sign in by ssh",
          at: file.place(
            of: ["authorizedkeyscommand", "trustedusercakeys"], saying: first.settings),
          "\(source), and a password is required of "
            + "\(NameList.text(doubtful.users.map(\.user)))\(doubtful.note)"))
    }
    return findings
  }

  /// Returns the users for whom no way into sshd is left even with a key, of those whose settings fit.
  private static func refused(
    _ users: [[UInt8]], by service: ServiceWithModule, _ snapshot: HostSnapshot,
    _ questions: inout Int, where fits: (SSHDSettings) -> Bool = { _ in true }
  ) -> (users: [(user: String, settings: SSHDSettings)], note: String) {
    let enrolled = snapshot.enrolledUsers
    var refused: [(user: String, settings: SSHDSettings)] = []
    var unchecked = 0
    for user in users {
      let name = String(decoding: user, as: UTF8.self)
      var settings = snapshot.sshd.settings(ofUser: name)
      if settings == nil {
        guard questions > 0 else {
          unchecked += 1
          continue
        }
        questions -= 1
        settings = SSHDSettings.inForce(for: name, on: snapshot.host)
      }
      let means = AccountMeans(
        hasPassword: false, key: .present, isEnrolled: enrolled?.contains(user) ?? true)
      guard let settings, fits(settings), case .closed = service.access(with: means, settings)
      else { continue }
      refused.append((VisibleText.escaping(user), settings))
    }
    return (refused, unchecked > 0 ? " (\(unchecked) users were not checked)" : "")
  }

  /// Returns whether the stack cannot be passed with a key and without a password, by users who have
  /// enrolled or by others.
  private static func needsPassword(_ service: ServiceWithModule) -> Bool {
    !service.effect(for: Claimant([.code, .other, .key])).canSucceed
      || !service.effect(for: Claimant([.other, .key], .notRequired)).canSucceed
  }
}

/// Finds services for which policy accepts a recent code, but which may be daemons whose session is
/// not the user's.
enum SessionNotFollowed: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      guard SessionService(service.name) == nil,
        let configuration = snapshot.configuration(of: service),
        configuration.mayAcceptRecentCode(in: service.name)
      else { return nil }
      return Finding(
        severity: .warning, code: "session-not-followed", services: [service.name],
        place: service.place,
        message:
          "a recent code (remember, fresh_for) counts here only for sign-ins from the same numeric "
          + "address; a service that does not pass the address to PAM asks for a code every time",
        hint:
          "in remember_services, or in the tenant that sets fresh_for, list only sshd, login, "
          + "sudo, sudo-i, su, su-l, doas and services that pass the address to PAM")
    }
  }
}

/// Reports that sshd refuses addresses from which sign-ins fail (OpenSSH 9.8): wrong codes count, and users can share
/// an address.
enum SourcePenalties: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, case .known(let cases, let file, _) = snapshot.sshd,
      let settings = cases.first?.settings,
      let penalties = settings.value(of: "persourcepenalties"),
      let failure = Self.seconds("authfail", in: penalties), failure > 0
    else { return [] }
    let least = Self.seconds("min", in: penalties) ?? 0
    let longest = Self.seconds("max", in: penalties).map { ", and for \($0) s at most" } ?? ""
    return [
      Finding(
        severity: .note, code: "source-penalties", services: [service.name],
        place: file.place(of: ["persourcepenalties"], saying: settings),
        message:
          "sshd refuses an address for \(failure) s for each connection that fails, as after wrong codes, once "
          + "that adds up to \(least) s\(longest): it also refuses other users from the same address",
        hint:
          "where users share an address, add it to PerSourcePenaltyExemptList; see sshd_config(5)")
    ]
  }

  /// Returns a number of seconds in the value that `sshd -T` prints, such as `authfail:5 min:15`.
  private static func seconds(_ name: String, in value: String) -> Int? {
    let word = value.split(separator: " ").first { $0.hasPrefix(name + ":") }
    return word.flatMap { Int($0.dropFirst(name.count + 1).prefix { $0.isNumber }) }
  }
}

/// Finds settings of sshd that give users little time to enrol during a sign-in.
enum ShortGraceTime: Examination {
  /// The time that an enrolment may take, in seconds.
  private static let sufficient = 300

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService,
      let configuration = snapshot.configuration(of: service),
      configuration.mayRequireEnrollment(at: service.name)
    else { return [] }
    return snapshot.sshd.findings { settings, description, place in
      guard let seconds = settings.value(of: "logingracetime").flatMap({ Int($0) }), seconds > 0,
        seconds < sufficient
      else { return [] }
      return [
        Finding(
          severity: .warning, code: "short-grace-time", services: [service.name],
          place: place(["logingracetime"]),
          message: "sshd ends a sign-in after \(seconds) s\(description), and users who must enrol "
            + "in it need more time",
          hint: "set \"LoginGraceTime 600\"; \(SecureShellRemedy.reload)")
      ]
    }
  }
}
