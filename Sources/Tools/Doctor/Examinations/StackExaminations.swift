import MFAAdmin
import MFABase
import MFAPAMStack

/// Finds lines through which users sign in without being asked for a code: they end the stack before
/// the module, or jump over it.
package enum BypassedModule: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { findings($0) }
  }

  /// Returns the findings for the stack of one service.
  package static func findings(_ service: ServiceWithModule) -> [Finding] {
    let skipping = service.stepsWithoutCode(\.skipping).map { step in
      let entry = service.stack.entries[step.index]
      let isCondition = ModuleKind(entry) == .condition
      return Finding(
        severity: isCondition ? .warning : .error, code: "auth-skippable",
        services: [service.name], place: VisibleText.escaping(entry.position.text),
        message:
          "\(who(entry, step.codes)) are never asked for a code: this line can end the stack "
          + "before pam_mfa.so or jump over it",
        hint: isCondition
          ? "if this is not intended, move the pam_mfa.so line above this line"
          : "make this line \"[success=ok default=die]\" or \"requisite\", or make its jump end at "
            + "the pam_mfa.so line")
    }
    return skipping + (onlyAfterKey(service).map { [$0] } ?? [])
  }

  /// Returns a finding if the only line that calls the module applies to sign-ins with a key.
  private static func onlyAfterKey(_ service: ServiceWithModule) -> Finding? {
    guard service.stack.entries[service.index].callsModuleAfterKey,
      service.effect(for: Claimant([.password, .other])).canSucceed
    else { return nil }
    return Finding(
      severity: .error, code: "auth-skippable", services: [service.name], place: service.place,
      message:
        "users who sign in without a key are never asked for a code: after_key leaves them to "
        + "the lines that follow, and none of these calls pam_mfa.so",
      hint:
        "add \"auth requisite pam_mfa.so after_password\" below the lines that ask for the password"
    )
  }

  private static func who(_ entry: StackEntry, _ codes: [PAMReturnCode]) -> String {
    let name = VisibleText.escaping(entry.moduleName)
    switch ModuleKind(entry) {
    case .condition: return "users who match this line"
    case .caller, .permission: return "all users"
    case .code, .password, .otherAuthenticator, .denial, .preparation, .unknown:
      guard !codes.contains(.success) else { return "users who pass \(name)" }
      // Name the codes that administrators know best.
      let known: [PAMReturnCode] = [.userUnknown, .authenticationInfoUnavailable, .maximumTries]
      let named = known.filter { codes.contains($0) } + codes.filter { !known.contains($0) }
      return "users for whom \(name) returns \(NameList.text(named.map { "\($0.name)" }, most: 2))"
    }
  }
}

/// Finds stacks through which enrolled users cannot sign in even with a code, and stacks that ask for
/// two codes.
package enum ClosedStack: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      let stacks = snapshot.stacks(of: service.name)
      return finding(service, stacks) ?? lockOut(service, stacks)
    }
  }

  /// Returns the finding that a stack in which a password is required denies all users who have not enrolled:
  /// pam_mfa.so returns PAM_IGNORE for them, and nothing else has a result.
  private static func lockOut(_ service: ServiceWithModule, _ stacks: ServiceStacks) -> Finding? {
    guard stacks.denial(of: Claimant([.code, .other])) != nil,
      let denial = stacks.denial(of: Claimant([.password, .other], .notRequired)),
      case .lines = denial.cause
    else { return nil }
    return Finding(
      severity: .error, code: "unenrolled-locked-out", services: [service.name],
      place: service.place,
      message:
        "users who have not enrolled cannot sign in, even with the right password: pam_mfa.so returns "
        + "PAM_IGNORE for them, and no other line lets them in",
      hint:
        "add \"auth required pam_permit.so\" after all auth lines that can deny; then: mfa-admin "
        + "readiness")
  }

  private static func finding(_ service: ServiceWithModule, _ stacks: ServiceStacks) -> Finding? {
    let claimant = Claimant([.password, .code, .other])
    guard let denial = stacks.denial(of: claimant) else { return askedTwice(service) }
    let message: String
    switch denial.cause {
    // `FaultyLine` and `UnloadableModule` report these.
    case .module: return nil
    case .lines(.auth):
      message = "enrolled users cannot sign in: this stack fails whatever its modules return"
    case .lines, .unreadable: message = "enrolled users cannot sign in: \(denial.reason)"
    }
    return Finding(
      severity: .error, code: "nobody-signs-in", services: [service.name],
      place: denial.cause == .lines(.auth) ? service.place : denial.place, message: message,
      hint: "put the lines in order (EXAMPLES in man pam_mfa); then: mfa-admin explain --service "
        + service.visibleName + " --user NAME")
  }

  /// Returns the finding if the stack of one service asks for two codes.
  package static func askedTwice(_ service: ServiceWithModule) -> Finding? {
    guard service.effect(for: Claimant([.password, .code, .other])).calls > 1 else { return nil }
    return Finding(
      severity: .error, code: "asked-twice", services: [service.name], place: service.place,
      message:
        "the stack calls pam_mfa.so twice, and no code is accepted twice: users have to wait "
        + "for another code, or cannot sign in",
      hint: "remove all auth lines of pam_mfa.so but one, also from included files")
  }
}

/// Finds lines, also of other modules, that make libpam deny a sign-in by mistake: a jump past the end
/// of the stack, and a module that does not exist.
enum FaultyLine: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { service in
      let stacks = snapshot.stacks(of: service.name)
      // `ClosedStack` and `UnreadableStack` report a stack that cannot be read.
      return stacks.readable.flatMap { stack -> [Finding] in
        let machine = StackMachine(stack)
        return stack.entries.indices.compactMap { index in
          jump(machine, index, service) ?? missing(stack.entries[index], service, stacks, snapshot)
        }
      }
    }
  }

  private static func jump(
    _ machine: StackMachine, _ index: Int, _ service: ServiceWithModule
  ) -> Finding? {
    guard let code = machine.codeThatJumpsPastEnd(at: index) else { return nil }
    return Finding(
      severity: .error, code: "jump-past-end", services: [service.name],
      place: VisibleText.escaping(machine.entries[index].position.text),
      message:
        "jumps past the end of the stack if its module returns \(code.name), and libpam then "
        + "denies the sign-in",
      hint: "add a line to jump to, such as \"auth required pam_permit.so\", or correct the number")
  }

  /// A hyphen at the start of a line only prevents libpam from logging that the module is missing.
  private static func missing(
    _ entry: StackEntry, _ service: ServiceWithModule, _ stacks: ServiceStacks,
    _ snapshot: HostSnapshot
  ) -> Finding? {
    // `UnloadableModule` and `StrayModuleLines` report these modules.
    guard case .module(let name, _, let control) = entry.kind, ModuleKind(entry) != .code,
      !StrayModuleLines.isLookalike(entry),
      snapshot.rules.problem(entry) != nil,
      control.action(for: .moduleUnknown).isDenial
        || stacks.denial(of: Claimant([.password, .code, .other]))?.position == entry.position
    else { return nil }
    return Finding(
      severity: .error, code: "other-module-missing", services: [service.name],
      place: VisibleText.escaping(entry.position.text),
      message:
        "the module \(VisibleText.escaping(name)) does not exist, so libpam denies every sign-in "
        + "that reaches this line",
      hint: "install the package that has the module, or remove the line")
  }
}

/// Finds services where policy can require enrolment but the stack does not reliably reach the
/// module's `account` line.
enum MissingAccountLine: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      // The policy of a realm may require it.
      let configuration = snapshot.configuration(of: service)
      guard
        !snapshot.decides || configuration?.mayRequireEnrollment(at: service.name) == true
      else { return nil }
      let line = snapshot.accountLine(of: service)
      if case .certain = line { return nil }
      let files = service.arguments.filter { $0.starts(with: Array("config=".utf8)) }
      return .accountLine(line, of: service, configuration: files)
    }
  }
}

/// Finds stacks of sshd whose session type does not call the module.
enum MissingSessionLine: SingleExamination {
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard let service = snapshot.sshdService, !hasLine(service.name, snapshot) else { return nil }
    return Finding(
      severity: .note, code: "no-session-line", services: [service.name], place: service.place,
      message: "users see failed codes and changes of their devices at each kind of sign-in, and "
        + "those that scp or a command hid are not shown again",
      hint: "add \"session optional pam_mfa.so\" to the file of the service")
  }

  /// Returns whether the session stack calls the module. A stack that cannot be read is another
  /// finding.
  private static func hasLine(_ service: [UInt8], _ snapshot: HostSnapshot) -> Bool {
    do throws(StackRefusal) {
      return try ServiceStack(.session, of: service, from: snapshot.host.stacks).entries
        .contains(where: \.callsModule)
    } catch {
      return true
    }
  }
}

/// Finds services whose stack cannot be read, so that it is unknown whether they use the module.
enum UnreadableStack: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.unreadable.map { service, refusal in
      .unreadableStack(
        refusal, of: service,
        mentionsModule: mentionsModule(service, refusal, snapshot.host.stacks))
    }
  }

  /// Returns whether the service's file, or the file that cannot be read, contains the module's name.
  static func mentionsModule(
    _ service: [UInt8], _ refusal: StackRefusal, _ source: some StackSource
  ) -> Bool {
    let path = refusal.place.split(separator: UInt8(ascii: ":")).first ?? []
    let included = path.split(separator: UInt8(ascii: "/")).last.map { Array($0) }
    return [service, included ?? service].contains { name in
      do throws(StackRefusal) {
        let text = try source.file(name).map { String(decoding: $0.contents, as: UTF8.self) }
        return text?.contains("pam_mfa") == true
      } catch {
        return false
      }
    }
  }
}

/// Finds modules that services name and that libpam cannot load, because the file is missing, damaged
/// or another program's.
enum UnloadableModule: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { service in
      let stacks = snapshot.stacks(of: service.name)
      return stacks.readable.flatMap(\.entries).filter { ModuleKind($0) == .code }
        .compactMap { entry in
          snapshot.rules.problem(entry).map { finding(service, entry, $0, stacks) }
        }
    }
  }

  private static func finding(
    _ service: ServiceWithModule, _ entry: StackEntry, _ reason: String, _ stacks: ServiceStacks
  ) -> Finding {
    let effect =
      letsUsersIn(service, stacks)
      ? "users sign in without a code" : "every sign-in is denied"
    return Finding(
      severity: .error, code: "module-not-loaded", services: [service.name],
      place: VisibleText.escaping(entry.position.text),
      message: "libpam cannot load this module, so \(effect): \(reason)",
      hint: "install it again (\(Installation.command)), or correct the path")
  }

  /// Returns whether users sign in without a code at a service whose module cannot be loaded.
  private static func letsUsersIn(_ service: ServiceWithModule, _ stacks: ServiceStacks) -> Bool {
    Claimant.withoutCode(for: service.stack).contains { stacks.denial(of: $0) == nil }
  }

  /// Returns whether users sign in without a code because of a finding of this examination.
  static func letsUsersIn(_ finding: Finding, on snapshot: HostSnapshot) -> Bool {
    snapshot.servicesWithModule.contains { service in
      finding.services.contains(service.name)
        && letsUsersIn(service, snapshot.stacks(of: service.name))
    }
  }
}

/// Finds lines through which users sign in with a wrong code: those that call the module without
/// denying, and those that discard its result.
package enum WeakAuthLine: Examination {
  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { findings($0) }
  }

  /// Returns the findings for the stack of one service.
  package static func findings(_ service: ServiceWithModule) -> [Finding] {
    service.stepsWithoutCode(\.ignoring).map { step in
      let entry = service.stack.entries[step.index]
      let place = VisibleText.escaping(entry.position.text)
      guard ModuleKind(entry) == .code else {
        return Finding(
          severity: .error, code: "auth-result-reset", services: [service.name], place: place,
          message: "a wrong code might not deny the sign-in: this line can reset the result of "
            + "pam_mfa.so",
          hint: "remove the action 'reset' from this line")
      }
      return Finding(
        severity: .error, code: "auth-denial-ignored", services: [service.name], place: place,
        message: "a wrong code does not deny the sign-in: the control of this line lets the stack "
          + "succeed",
        hint: "change the line to \"auth required pam_mfa.so\" and keep its arguments")
    }
  }
}

/// Finds lines that look as if they asked for a code and do not: libpam finds no module of that name,
/// or only an `account` or `session` line calls the module.
enum StrayModuleLines: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.services.flatMap { service in
      let lines = StackType.allCases.flatMap { type in
        entries(service, type, snapshot.host.stacks).map { (type: type, entry: $0) }
      }
      return lines.filter { isLookalike($0.entry) }.map { misnamed($0.entry, $0.type, service) }
        + [withoutAuth(service, lines, snapshot)].compactMap { $0 }
    }
  }

  /// Returns the findings about lines of one stack whose module's name only looks like ours.
  static func lookalikes(
    _ stack: ServiceStack, _ type: StackType, of service: [UInt8]
  ) -> [Finding] {
    stack.entries.filter { isLookalike($0) }.map { misnamed($0, type, service) }
  }

  /// Returns the lines of a stack. A stack that cannot be read is another finding.
  private static func entries(
    _ service: [UInt8], _ type: StackType, _ source: some StackSource
  ) -> [StackEntry] {
    do throws(StackRefusal) {
      return try ServiceStack(type, of: service, from: source).entries
    } catch {
      return []
    }
  }

  /// Returns whether the line's module is not ours, and its name looks like ours.
  static func isLookalike(_ entry: StackEntry) -> Bool {
    guard ModuleKind(entry) != .code else { return false }
    let name = String(decoding: entry.moduleName, as: UTF8.self).lowercased()
    return ["pam_mfa", "pam-mfa", "pammfa"].contains { name.contains($0) }
      || ["mfa", "mfa.so"].contains(name)
  }

  private static func misnamed(
    _ entry: StackEntry, _ type: StackType, _ service: [UInt8]
  ) -> Finding {
    let name = VisibleText.escaping(entry.moduleName)
    let denies: Bool =
      switch entry.kind {
      case .substack: false
      case .module(_, _, let control): control.action(for: .moduleUnknown).isDenial
      }
    return Finding(
      severity: .error, code: "module-misnamed", services: [service],
      place: VisibleText.escaping(entry.position.text),
      message: denies
        ? "libpam loads no pam_mfa.so for the name \(name), so this \(type.name) line fails at "
          + "every sign-in"
        : "libpam loads no pam_mfa.so for the name \(name), so this \(type.name) line does nothing",
      hint: "write pam_mfa.so")
  }

  private static func withoutAuth(
    _ service: [UInt8], _ lines: [(type: StackType, entry: StackEntry)], _ snapshot: HostSnapshot
  ) -> Finding? {
    let ours = lines.filter { ModuleKind($0.entry) == .code }
    guard let first = ours.first, !ours.contains(where: { $0.type == .auth }),
      !UnrunAccountLine.isMeant(service, snapshot)
    else { return nil }
    return Finding(
      severity: .error, code: "no-auth-line", services: [service],
      place: VisibleText.escaping(first.entry.position.text),
      message: "users are never asked for a code: only \(first.type.name) lines call pam_mfa.so",
      hint: "enable it: \(SignInProgram.enable(service)); or add \"auth requisite "
        + "pam_mfa.so\" below the lines that ask for the password; or remove this line")
  }
}

/// Notes that no service uses the module, or that policy does not enforce codes. Neither is an
/// error.
enum UnusedModule: SingleExamination {
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard !snapshot.servicesWithModule.isEmpty else {
      return Finding(
        severity: .note, code: "not-in-use", place: "\(InstalledPath.services)",
        message: "no service has an auth line for pam_mfa.so: no user is asked for a code",
        hint: "to begin: mfa-admin enable sshd; or edit the service files (EXAMPLES in man pam_mfa)"
      )
    }
    guard let configuration = snapshot.configuration(at: nil) else { return nil }
    let place =
      configuration.origin(of: .state).map { VisibleText.escaping(configuration.place(of: $0)) }
      ?? "\(InstalledPath.configuration)"
    let effect: String
    switch configuration.project.state {
    case .enabled: return nil
    case .disabled: effect = "disabled: no user is asked for a code"
    case .observe: effect = "observe: users are asked for a code but admitted with any answer"
    }
    return Finding(
      severity: .note, code: "not-enforced", place: place, message: "state = \(effect)",
      hint: "see who is not ready: mfa-admin readiness; then: mfa-admin config set state enabled")
  }
}
