import MFAAdmin
import MFAAttempt
import MFAPAMStack
import MFAModel

/// The findings about the effects of sudo's rules on some users.
struct SudoReport {
  private let known: SudoersView.Known
  private let users: SudoersUsers
  private let services: SudoServices
  private let rules: HostRules
  /// The effects with the same cause, and the users concerned.
  private var groups: [Group] = []
  /// The services that sudo uses for one of the users.
  private var used: Set<String> = []

  private struct Group {
    let kind: SudoEffect.Kind
    let source: SudoEffect.Source
    var effects: [SudoEffect] = []
    var users: [SudoersUser] = []
  }

  init(
    _ known: SudoersView.Known, _ users: SudoersUsers, _ services: SudoServices, _ rules: HostRules
  ) {
    self.known = known
    self.users = users
    self.services = services
    self.rules = rules
  }

  /// Adds the effects for a user.
  mutating func add(_ user: SudoersUser) {
    for effect in known.policy.effects(for: user, in: known.context) { add(effect, of: user) }
  }

  private mutating func add(_ effect: SudoEffect, of user: SudoersUser) {
    if case .uses(let service, _) = effect.kind { used.insert(service) }
    let index = groups.firstIndex { $0.kind == effect.kind && $0.source == effect.source }
    if index == nil { groups.append(Group(kind: effect.kind, source: effect.source)) }
    let group = index ?? groups.count - 1
    groups[group].effects.append(effect)
    if !groups[group].users.contains(user) { groups[group].users.append(user) }
  }

  /// The services of sudo that call the module.
  private var asking: [String] {
    Set(SudoServices.names).union(used).filter { services.withModule($0) != nil }.sorted()
  }

  /// Whether sudo is meant to ask for codes.
  var isAsked: Bool { !asking.isEmpty }

  /// The findings.
  var findings: [Finding] {
    groups.compactMap { group in
      guard let finding = finding(group) else { return nil }
      return group.users.allSatisfy(users.isNobody)
        ? finding.limited(.note, "at present there are no such users") : finding
    }
  }

  // MARK: One cause

  private func finding(_ group: Group) -> Finding? {
    switch group.kind {
    case .asksForNothing(let reason): withoutCode(group, reason)
    case .asksRarely(let minutes): askedRarely(group, minutes)
    case .asksOnceForAllTerminals:
      make(
        .warning, "sudo-global-timestamp", group,
        "a code opens sudo in all terminals and programs of \(names(group)): timestamp_type is "
          + "global, so other programs of the user need none",
        "set timestamp_type=tty")
    case .asksOtherAccount(let name, let setting): otherAccount(group, name, setting.rawValue)
    case .uses(let service, let setting): otherService(group, service, setting)
    case .skipsAccountLines(let service): accountLines(group, service)
    }
  }

  private func make(
    _ severity: Finding.Severity, _ code: String, _ group: Group, _ message: String, _ hint: String
  ) -> Finding {
    Finding(
      severity: severity, code: code, services: asking.map { Array($0.utf8) },
      place: known.place(of: group.source) ?? VisibleText.escaping(Array(known.path.utf8)),
      message: VisibleText.escaping(Array(message.utf8)), hint: hint)
  }

  private func names(_ group: Group) -> String {
    NameList.text(group.users.map(users.description))
  }

  private func withoutCode(_ group: Group, _ reason: SudoEffect.Reason) -> Finding {
    let isOpen = group.effects.contains { $0.isAsRoot && $0.isAnyCommand }
    let targets = Self.unique(group.effects.map(\.target))
    let commands = Self.commands(group.effects)
    let cause: String
    let hint: String
    switch reason {
    case .tag:
      cause = "this rule says NOPASSWD"
      hint = "remove NOPASSWD, or limit it to the commands that need it"
    case .setting:
      cause = "authenticate is off"
      hint = "remove \"!authenticate\" from this line"
    case .group(let name):
      cause = "exempt_group is \(name)"
      hint = "remove exempt_group from this line"
    }
    return make(
      isOpen ? .error : .warning, Doctor.sudoWithoutCode, group,
      "sudo asks \(names(group)) for no code, for \(commands) as "
        + "\(NameList.text(targets, most: 3)): \(cause)", hint)
  }

  private static func commands(_ effects: [SudoEffect]) -> String {
    guard !effects.contains(where: { $0.command == .any }) else { return "all commands" }
    let named = NameList.text(unique(effects.map(\.command.text)), most: 3)
    guard let starter = effects.first(where: { $0.isAnyCommand }) else { return named }
    return "\(named), and so for all commands (by \(starter.command.text))"
  }

  private static func unique(_ names: [String]) -> [String] {
    var unique: [String] = []
    for name in names where !unique.contains(name) { unique.append(name) }
    return unique
  }

  private func askedRarely(_ group: Group, _ minutes: String) -> Finding {
    let time =
      minutes.hasPrefix("-") ? "until the machine is restarted" : "for \(minutes) minutes"
    return make(
      .warning, "sudo-long-timestamp", group,
      "after one code, sudo asks \(names(group)) for no other code \(time): timestamp_timeout is "
        + minutes, "set timestamp_timeout to at most 60, or remove it: the default is a few minutes"
    )
  }

  private func otherAccount(_ group: Group, _ name: String, _ setting: String) -> Finding {
    let needsNone = asking.contains { needsNoCode(name, at: $0) }
    return make(
      needsNone ? .error : .warning, Doctor.sudoOtherAccount, group,
      "sudo asks \(names(group)) for the password and the code of \(name), and not for their own: "
        + "\(setting) is on"
        + (needsNone ? "; \(name) has no factor, so sudo asks for no code" : ""),
      "remove \(setting) from this line")
  }

  /// Returns whether a service asks an account for no code, because it has no factor and need not
  /// enrol.
  private func needsNoCode(_ account: String, at service: String) -> Bool {
    guard case .success(let stored) = rules.stored,
      !stored.contains(where: { $0.name == Array(account.utf8) }),
      let asked = services.withModule(service)
    else { return false }
    return mayRequireEnrollment(at: asked) == false
  }

  /// Returns whether a service can make users enrol, as the policy of a realm can, or nil if its configuration cannot be
  /// used.
  private func mayRequireEnrollment(at service: ServiceWithModule) -> Bool? {
    guard rules.realm == .noRealm else { return true }
    do throws(ConfigurationError) {
      return try rules.host.configuration(at: service.configuration)
        .mayRequireEnrollment(at: service.name)
    } catch {
      return nil
    }
  }

  private func otherService(
    _ group: Group, _ service: String, _ setting: SudoSettings.Name
  ) -> Finding? {
    let command = SudoSettings.services.first { $0.key == setting }?.value ?? "sudo"
    let path = services.path(service)
    let named = known.place(of: group.source)
    do throws(StackRefusal) {
      guard try services.service(service) == nil else { return nil }
    } catch {
      return .unchecked(
        "whether \(command) asks for a code", at: named ?? path, error.sentence)
    }
    return Finding(
      severity: .error, code: "sudo-other-service", services: [Array(service.utf8)],
      place: named ?? path,
      message: VisibleText.escaping(
        Array(
          ("\(command) asks \(names(group)) for no code: it uses the PAM service \(service), which "
            + "does not call pam_mfa.so").utf8)),
      hint: named == nil
        ? "enable it: mfa-admin enable sudo; or add the lines of pam_mfa.so to \(path)"
        : "remove \(setting.rawValue) from this line, or add the lines of pam_mfa.so to \(path)")
  }

  private func accountLines(_ group: Group, _ service: String) -> Finding? {
    guard let asked = services.withModule(service), mayRequireEnrollment(at: asked) == true else {
      return nil
    }
    return make(
      .error, "sudo-account-skipped", group,
      "sudo does not ask \(names(group)) for a code if they have to enrol first: pam_acct_mgmt is "
        + "off, so sudo does not run the account lines",
      "remove \"!pam_acct_mgmt\" from this line")
  }
}
