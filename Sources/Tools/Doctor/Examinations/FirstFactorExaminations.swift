import MFAAdmin
import MFABase
import MFAPAMStack

/// Finds stacks that ask for a code after a wrong password, or before the password.
enum CodeBeforePassword: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      service.isNamed("sshd") && requiresKey(snapshot.sshd) ? nil : finding(service)
    }
  }

  /// Returns whether sshd asks for a code only after it has verified a key, so that an attacker without
  /// the key cannot use up attempts.
  private static func requiresKey(_ sshd: SSHDView) -> Bool {
    guard case .known(let cases, _, _) = sshd else { return false }
    return cases.allSatisfy { item in
      guard let lists = item.settings.methodLists else { return false }
      return lists.allSatisfy { $0.first == "publickey" }
    }
  }

  private static let harm =
    "an attacker without the password is asked for a code and can use up the user's attempts"

  private static func finding(_ service: ServiceWithModule) -> Finding? {
    let stack = service.stack
    // A line with after_key asks for a code in the place of the password.
    guard !stack.entries[service.index].callsModuleAfterKey else { return nil }
    // If the line needs the password before it, the lines below it do not matter.
    guard let way = service.effect(for: Claimant([.other])).wayToModule else { return nil }
    if let entry = way.map({ stack.entries[$0.index] }).first(where: \.asksForPassword) {
      return Finding(
        severity: .warning, code: "required-before", services: [service.name],
        place: VisibleText.escaping(entry.position.text),
        message: "\(harm): a wrong password does not end the stack",
        hint: hint(entry))
    }
    let later = stack.entries.indices.first {
      $0 > service.index && stack.entries[$0].asksForPassword
    }
    guard let later else { return nil }
    // With forward_pass, the user enters the password and the code together, and both must be
    // checked.
    guard !service.takesPassword else {
      guard service.control.onFailure == .die else { return nil }
      return Finding(
        severity: .warning, code: "requisite-forward-pass", services: [service.name],
        place: service.place,
        message: "a wrong code ends the stack before the password is checked, so the time that a "
          + "denial takes reveals which users are enrolled",
        hint: "replace \"requisite\" with \"required\" (\"die\" with \"bad\")")
    }
    return Finding(
      severity: .warning, code: "code-before-password", services: [service.name],
      place: service.place,
      message: "\(harm): the password is asked for only later, at "
        + VisibleText.escaping(stack.entries[later].position.text),
      hint: "move the pam_mfa.so line below the lines that ask for the password")
  }

  private static func hint(_ entry: StackEntry) -> String {
    guard case .module(_, _, let control) = entry.kind, control.onFailure == .bad else {
      return entry.level > 0
        ? "replace \"substack\" with \"include\", and make sure that the included file ends with "
          + "\"requisite pam_deny.so\""
        : "add \"auth requisite pam_deny.so\" where the stack continues after a wrong password"
    }
    return "replace \"required\" with \"requisite\", or \"bad\" with \"die\" in brackets"
  }
}

/// Finds sshd settings that make sshd answer the prompt for a code with the password.
enum PasswordAsCode: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, !service.takesPassword else { return [] }
    return snapshot.sshd.findings { settings, description, place in
      // `UnprovenFirstFactor` reports lines that verify no password.
      guard settings.isOn("usepam"), settings.takesPasswords, service.firstFactor != .missing
      else { return [] }
      // Users can still sign in with keyboard-interactive, which clients prefer.
      return [
        Finding(
          severity: settings.openLists().joined().contains("keyboard-interactive")
            ? .warning : .error, code: "password-as-code",
          services: [service.name], place: place(["passwordauthentication"]),
          message: "clients that use the password method are denied\(description): "
            + "PasswordAuthentication is yes, so sshd answers the prompt of \(service.place) with "
            + "the password",
          hint: SecureShellRemedy.advice(
            for: settings, service, changing: [("PasswordAuthentication", "no")])
            + "; or add forward_pass to the module's arguments")
      ]
    }
  }
}

/// Finds ways into a service on which nothing is proven but a code, and nothing at all by users who have
/// not enrolled.
package enum UnprovenFirstFactor: Examination {
  /// The code of the findings.
  package static let code = "first-factor-missing"

  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { service in
      service.name == snapshot.sshdService?.name
        ? findings(service, snapshot.sshd) : findings(service)
    }
  }

  /// Returns the findings about a service that only calls PAM.
  package static func findings(_ service: ServiceWithModule) -> [Finding] {
    switch service.firstFactor {
    case .proven: return []
    case .uncertain(let entry): return [doubt(service, entry)].compactMap { $0 }
    case .missing:
      let who =
        service.admitsUnproven
        ? "users who have not enrolled get in without anything, and all others" : "users get in"
      return [
        Finding(
          severity: .error, code: code, services: [service.name], place: service.place,
          message: "\(who) with a code alone: no auth line that could deny verifies a password",
          hint: passwordHint)
      ]
    }
  }

  /// Returns the findings about the connections that a view of sshd's settings describes.
  static func findings(_ service: ServiceWithModule, _ sshd: SSHDView) -> [Finding] {
    sshd.findings { settings, description, place in
      let ways = service.ways(settings)
      let missing = ways.filter { $0.firstFactor == .missing }
      guard !missing.isEmpty else {
        return ways.compactMap { way in
          guard case .uncertain(let entry) = way.firstFactor else { return nil }
          return doubt(service, entry)
        }
      }
      let methods = missing.map { $0.methods.joined(separator: ",") }
      let unenrolled =
        missing.allSatisfy(\.deniesUnenrolled)
        ? "pam_mfa.so therefore denies users who have not enrolled, and users who have enrolled sign in "
          + "with a code alone"
        : "users who have enrolled sign in with a code alone"
      return [
        Finding(
          severity: .error, code: code, services: [service.name],
          place: place(["authenticationmethods"]),
          message: "no key and no password is required over ssh\(description): "
            + "\(VisibleText.escaping(methods.joined(separator: " or "))) is enough, and no auth line of "
            + "\(service.visibleName) verifies a password; \(unenrolled)",
          hint: SecureShellRemedy.hint(for: settings, service)
            ?? "\(passwordHint), or \(SecureShellRemedy.keyThenCode)")
      ]
    }
  }

  static let passwordHint =
    "put the lines that ask for the password above the pam_mfa.so line (EXAMPLES in man pam_mfa)"

  /// Returns the finding that a line might let users pass without proof, or nil if `BypassedModule`
  /// reports the line.
  private static func doubt(_ service: ServiceWithModule, _ entry: StackEntry) -> Finding? {
    let skipping = service.stepsWithoutCode(\.skipping).map { service.stack.entries[$0.index] }
    guard !skipping.contains(entry) else { return nil }
    let place = VisibleText.escaping(entry.position.text)
    guard ModuleKind(entry) == .unknown else {
      return Finding(
        severity: .warning, code: code, services: [service.name], place: place,
        message:
          "users whom this line lets pass need no password, only a code, and nothing if they have "
          + "not enrolled",
        hint:
          "if this is not intended, move the line below the lines that ask for the password, or "
          + "make it \"required\"")
    }
    return .unchecked(
      "whether \(service.visibleName) requires more than a code", at: place,
      "the module \(VisibleText.escaping(entry.moduleName)) is not known")
  }
}

/// Finds lines with `after_password` that can be reached without a password.
enum UnprovenPassword: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      guard case .success(let options) = service.options, options.followsPassword,
        !followsPassword(service)
      else { return nil }
      return Finding(
        severity: .warning, code: "password-not-proven", services: [service.name],
        place: service.place,
        message:
          "after_password does not hold: a user can be asked for a code without the password, and "
          + "the language of the prompt then reveals who has enrolled",
        hint: "remove after_password, or move the line below the lines that ask for the password")
    }
  }

  private static func followsPassword(_ service: ServiceWithModule) -> Bool {
    !service.effect(for: Claimant([.other])).callsModule
  }
}

/// Finds a stack of the service mfa-enroll that lets users change factors without the password of the
/// account.
enum UnprovenEnrollment: SingleExamination {
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard let gap = EnrollmentService.gap(in: snapshot.host.stacks) else { return nil }
    return Finding(
      severity: .error, code: "enrollment-not-proven", services: [EnrollmentService.name],
      place: gap.place,
      message: "an unattended session is enough to enrol a factor, without the password: "
        + gap.reason,
      hint: "let the file contain \"@include common-auth\" only, or a line such as \"auth "
        + "requisite pam_unix.so\"")
  }
}

/// Finds a module of another second factor in the stack of the service mfa-enroll, where it refuses
/// every user.
enum BlockedEnrollment: SingleExamination {
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard let line = EnrollmentService.blockingLine(in: snapshot.host.stacks) else { return nil }
    return Finding(
      severity: .warning, code: "enrollment-blocked", services: [EnrollmentService.name],
      place: VisibleText.escaping(line.position.text),
      message: "users cannot enrol, and their right password is called wrong: "
        + "\(VisibleText.escaping(line.moduleName)) needs root's rights, and mfa-helper has those of "
        + "mfa",
      hint: "let \(InstalledPath.helperService) contain \"auth requisite pam_unix.so\" and "
        + "\"account required pam_unix.so\" in place of the included file")
  }
}
