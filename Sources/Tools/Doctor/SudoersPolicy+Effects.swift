/// A command of a rule that applies to a user.
private struct SudoGrant {
  let rule: SudoersPolicy.Rule
  let command: SudoersCommand
  let isDenied: Bool
  /// Whether the rule certainly applies to the user at every time.
  let isCertain: Bool

  /// Returns whether the rule certainly decides about a command that runs as an account.
  func decides(_ command: SudoersCommand, as target: SudoersUser, _ defaultTarget: String) -> Bool {
    guard isCertain, command.match(SudoersMember(.command(self.command))) == .yes || isForAll else {
      return false
    }
    return runAs(defaultTarget).verdicts(target.match).allows
  }

  private var isForAll: Bool { command == .any }

  /// The accounts that the command can run as.
  func runAs(_ defaultTarget: String) -> SudoersList {
    if let users = rule.runAsUsers { return users }
    return SudoersList([
      SudoersMember(rule.runAsGroups == nil ? .name(defaultTarget) : .invokingUser)
    ])
  }
}

extension SudoersPolicy {
  /// Whether a `Defaults` line is for the members of a group. Only then can a setting of one line take the
  /// place of another's because of a group; all else that depends on groups adds to what users may do.
  var hasSettingsForGroups: Bool {
    defaults.contains { item in
      item.scope == .users
        && item.members.members.contains { member in
          switch member.kind {
          case .group, .groupID, .netgroup, .pluginGroup: true
          case .all, .name, .userID, .network, .command, .invokingUser: false
          }
        }
    }
  }

  /// Returns what sudo does for a user other than root, for each rule that grants something.
  package func effects(for user: SudoersUser, in context: SudoersContext) -> [SudoEffect] {
    guard !user.isRoot else { return [] }
    let settings = settings(for: user, as: .root, .any, on: context)
    let defaultTarget = settings.text(.runAsDefault) ?? "root"
    let grants = grants(for: user, in: context)
    var effects: [SudoEffect] = []
    var seen: Set<SudoEffect> = []
    for (index, grant) in grants.enumerated() where !grant.isDenied {
      for target in targets(of: grant, user, defaultTarget) {
        for command in [grant.command] + probes(of: grant) {
          // The last rule that matches counts.
          let later = grants[(index + 1)...]
          guard !later.contains(where: { $0.decides(command, as: target, defaultTarget) }) else {
            continue
          }
          let use = SudoUse(user: user, target: target, command: command, rule: grant.rule)
          for effect in self.effects(of: use, context) where seen.insert(effect).inserted {
            effects.append(effect)
          }
        }
      }
    }
    return effects
  }

  /// Returns the rules that apply to a user on this host, one for each command, in the order of the
  /// files.
  private func grants(for user: SudoersUser, in context: SudoersContext) -> [SudoGrant] {
    rules.flatMap { rule -> [SudoGrant] in
      let users = rule.users.verdicts(user.match)
      let hosts = rule.hosts.verdicts(context.host.match)
      let isOver = rule.notAfter.map { end in context.time.map { end < $0 } ?? false } ?? false
      guard users.mayAllow, hosts.mayAllow, !isOver else { return [] }
      let isCertain =
        users.allows && hosts.allows && rule.notAfter == nil && rule.notBefore == nil
      return rule.commands.members.compactMap { member in
        let command: SudoersCommand
        switch member.kind {
        case .all: command = .any
        // Not a program: the right to list the rules.
        case .command(SudoersCommand("list")): return nil
        case .command(let named): command = named
        case .name, .userID, .group, .groupID, .netgroup, .pluginGroup, .network, .invokingUser:
          return nil
        }
        return SudoGrant(
          rule: rule, command: command, isDenied: member.isNegated, isCertain: isCertain)
      }
    }
  }

  /// Returns the accounts to examine: root if a command can run as root, otherwise the others; and
  /// the accounts of `Defaults` lines for accounts.
  private func targets(
    of grant: SudoGrant, _ user: SudoersUser, _ defaultTarget: String
  ) -> [SudoersUser] {
    let list = grant.runAs(defaultTarget)
    var targets: [SudoersUser] = []
    if list.verdicts(SudoersUser.root.match).mayAllow { targets.append(.root) }
    let named = targets.isEmpty ? list.members : []
    let bound = defaults.filter { $0.scope == .runAs }.flatMap(\.members.members)
    for member in named + bound where !member.isNegated {
      let target: SudoersUser
      switch member.kind {
      case .name(let name): target = SudoersUser(name: name, uid: nil, groups: nil)
      case .userID(let uid): target = SudoersUser(name: member.word, uid: uid, groups: nil)
      case .group, .groupID, .netgroup, .pluginGroup: target = SudoersUser(memberOf: [member.kind])
      case .all where named.contains(member): target = SudoersUser(memberOf: [member.kind])
      case .all, .network, .command, .invokingUser: continue
      }
      // sudo never authenticates a user who runs a command as the same user.
      guard !target.isRoot, target.name == nil || target.name != user.name,
        list.verdicts(target.match).mayAllow, !targets.contains(target)
      else { continue }
      targets.append(target)
    }
    if grant.rule.runAsUsers == nil, grant.rule.runAsGroups != nil {
      // Only the group changes.
      targets.append(SudoersUser(name: nil, uid: nil, groups: nil))
    }
    return targets
  }

  /// Returns the commands of `Defaults` lines for commands that a rule for all commands allows.
  private func probes(of grant: SudoGrant) -> [SudoersCommand] {
    guard grant.command == .any else { return [] }
    return defaults.filter { $0.scope == .commands }.flatMap(\.members.members).compactMap {
      guard case .command(let command) = $0.kind, !$0.isNegated else { return nil }
      return command
    }
  }

  // MARK: One use

  private func effects(of use: SudoUse, _ context: SudoersContext) -> [SudoEffect] {
    let settings = settings(for: use.user, as: use.target, use.command, on: context)
    func effect(_ kind: SudoEffect.Kind, _ name: SudoSettings.Name) -> SudoEffect {
      use.effect(kind, settings.line(name).map { .defaults($0) } ?? .elsewhere)
    }
    switch use.rule.authenticates {
    case false?:
      return [use.effect(.asksForNothing(.tag), .specification(use.rule.specification))]
    case nil where !settings.isOn(.authenticate):
      return [effect(.asksForNothing(.setting), .authenticate)]
    case true?, nil: break
    }
    if let group = settings.text(.exemptGroup),
      use.user.match(SudoersMember(.group(group))) != .no
    {
      return [effect(.asksForNothing(.group(group)), .exemptGroup)]
    }
    return asked(use, settings, effect)
  }

  /// Returns the effects if sudo authenticates the user.
  private func asked(
    _ use: SudoUse, _ settings: SudoSettings,
    _ effect: (SudoEffect.Kind, SudoSettings.Name) -> SudoEffect
  ) -> [SudoEffect] {
    var effects: [SudoEffect] = []
    if settings.hasLongTimeout {
      effects.append(
        effect(
          .asksRarely(minutes: settings.text(.timestampTimeout) ?? "unknown"), .timestampTimeout))
    }
    if settings.text(.timestampType) == "global", settings.timeout != 0 {
      effects.append(effect(.asksOnceForAllTerminals, .timestampType))
    }
    // The order of `get_authpw` in check.c.
    let accounts: [(SudoSettings.Name, String)] = [
      (.rootPassword, "root"), (.runAsPassword, settings.text(.runAsDefault) ?? "root"),
      (.targetPassword, use.target.label ?? "the user"),
    ]
    if let (name, account) = accounts.first(where: { settings.isOn($0.0) }) {
      effects.append(effect(.asksOtherAccount(account, by: name), name))
    }
    // `sudo -i` runs the shell of the account.
    let startsAnything = use.command.startsAnything(isNoExec: use.rule.isNoExec)
    for (name, _) in SudoSettings.services where name != .pamLoginService || startsAnything {
      guard let service = settings.text(name) else { continue }
      effects.append(effect(.uses(service: service, by: name), name))
      if !settings.isOn(.pamAccountManagement) {
        effects.append(effect(.skipsAccountLines(service: service), .pamAccountManagement))
      }
    }
    return effects
  }
}

/// A user's use of a rule: a command that runs as an account.
private struct SudoUse {
  let user: SudoersUser
  let target: SudoersUser
  let command: SudoersCommand
  let rule: SudoersPolicy.Rule

  func effect(_ kind: SudoEffect.Kind, _ source: SudoEffect.Source) -> SudoEffect {
    SudoEffect(
      kind: kind, source: source, command: command,
      isAnyCommand: command.startsAnything(isNoExec: rule.isNoExec),
      target: target.label ?? "the same user with another group", isAsRoot: target.isRoot)
  }
}
