import MFAAdmin
import MFABase
import MFAStore
import MFAModel
import MFASignIn
import MFAPAMStack

// The text and JSON output of an explanation.
extension Explanation {
  /// Returns the text, whose lines each end with a line feed and take at most this many columns where
  /// possible.
  package func text(columns: Int?) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      // The rest of a value follows below its beginning.
      TextWidth.wrapped(
        String(line), to: columns, hanging: line.hasPrefix(" ") ? 2 : Self.labelWidth)
    }.joined(separator: "\n")
  }

  /// The columns of a line's label.
  private static let labelWidth = 13

  private var text: String {
    Self.line("decision", decision.sentence)
      + rules.map { Self.line("because", text($0)) }.joined()
      + (isOnlyObserved
        ? Self.line("", "the policy only observes: no sign-in is denied") : "")
      + Self.line("account", accountText)
      + Self.line("service", "\(Self.visible(request.service)): \(moduleText)")
      + exceptions.map { Self.line("", "but \($0.place): \($0.message)") }.joined()
      + Self.line("", "account line: \(accountLineText)")
      + Self.line("from", addressText)
      + Self.line("stored", storedText)
      + grants.map { Self.line("granted", Self.text($0)) }.joined()
      + Self.line("policy", policyText)
      + tenants.map { text($0) }.joined()
      + origins.map { Self.line("setting", text($0)) }.joined()
  }

  private static func line(_ name: String, _ value: String) -> String {
    TextWidth.pad(name, to: labelWidth) + value + "\n"
  }

  private static func visible(_ bytes: [UInt8]) -> String { VisibleText.escaping(bytes) }

  /// Whether the module is called, but its policy only observes.
  private var isOnlyObserved: Bool {
    switch module {
    case .called, .unknown: state == .observe
    case .notCalled: false
    }
  }

  private var accountText: String {
    switch lookup {
    case .success(let account?):
      "\(Self.visible(account.name)) (uid \(account.uid))"
        + (accountObstacle.map { $0.deniesSignIn ? "" : "; \($0.reason)" } ?? "")
    case .success(nil): "there is no account \(Self.visible(request.user))"
    case .failure(let error): "cannot be looked up: \(error.text)"
    }
  }

  private var moduleText: String {
    switch module {
    case .called(let position, let arguments):
      (["pam_mfa.so is called by \(Self.visible(position.text))"]
        + (arguments.isEmpty ? [] : ["with"]) + arguments.map { Self.visible($0) })
        .joined(separator: " ")
    case .notCalled(let files, let hasFile):
      (hasFile ? "" : "has no file: ")
        + "pam_mfa.so is not called by \(files.map { Self.visible($0) }.joined(separator: ", "))"
    case .unknown(let refusal): "the stack cannot be evaluated: \(refusal.sentence)"
    }
  }

  private var accountLineText: String {
    switch accountLine {
    case .certain(let position): "certain to be reached, \(Self.visible(position.text))"
    case .missing, .denialIgnored, .otherConfiguration, .skippable, .forgotten, .unknown:
      [accountLine.sentence, accountLine.obstacle.map { Self.visible($0) }]
        .compactMap { $0 }.joined(separator: "; see ")
    }
  }

  /// The remote host as an address, which tenants are matched with; nil if it is not an address.
  private var address: IPAddress? { request.remoteHost.flatMap { IPAddress($0.span) } }

  private var addressText: String {
    guard let remoteHost = request.remoteHost else {
      return "unknown; tenants that name networks apply where they are stricter"
    }
    guard let address else {
      return "\(Self.visible(remoteHost)), which is not an address; tenants that name networks "
        + "apply where they are stricter (for sshd, the address of the connection counts)"
    }
    return Self.visible(address.text)
  }

  private var storedText: String {
    switch stored {
    case .nothing: return "nothing"
    case .problem(let problem): return "unusable: \(problem.sentence)"
    case .kept(let record, let attempts):
      let names = record.factors.map { "\(VisibleText($0.displayName))" }
      let factors = names.isEmpty ? "no factor" : names.joined(separator: ", ")
      return "\(factors); \(record.recoveryCodes.count) recovery codes; "
        + "\(attempts.failures) wrong codes in a row\(standingText)"
        + closedFactors.map { "; \(VisibleText($0.name)) accepts no code before \($0.end.full)" }
        .joined()
    }
  }

  private var standingText: String {
    switch standing {
    case .none, .open: ""
    case .throttled(let seconds): ", throttled \(seconds) s"
    case .locked: ", locked" + (mayUnlock ? "; a recovery code unlocks the factors" : "")
    }
  }

  private var mayUnlock: Bool {
    guard case .kept(let record, _) = stored, let standing, let settings else { return false }
    return settings.mayUnlock(record, standing)
  }

  private var grants: [Grant] {
    switch stored {
    case .nothing, .problem: []
    case .kept(let record, _): record.grants
    }
  }

  private static func kind(_ grant: Grant) -> String {
    switch grant.kind {
    case .ticket: "ticket"
    case .bypass: "bypass"
    case .enrollment: "enrolment"
    case .programPassword: "program password"
    }
  }

  private static func text(_ grant: Grant) -> String {
    let end = Timestamp(grant.expiresAt)?.full ?? "an unknown time"
    return "\(kind(grant)) \(visible(grant.id.hexadecimal)), until \(end)"
  }

  // MARK: Policy

  private static func word(_ match: Tenant.Match) -> String {
    switch match {
    case .yes: "yes"
    case .no: "no"
    case .unknown: "unknown"
    }
  }

  /// The settings that the decision depends on, without those that are not set.
  private var rules: [Configuration.SettingInForce] {
    decision.rules.compactMap { rule in origins.first { $0.key == rule && $0.value != nil } }
  }

  private var policyText: String {
    guard let configuration else { return "cannot be used" }
    return configuration.files.map { Self.visible($0) }.joined(separator: ", ")
  }

  private func text(_ tenant: TenantMatch) -> String {
    let answer =
      switch tenant.match {
      case .yes: "matches"
      case .no: "does not match"
      case .unknown: "may match; applies where it is stricter"
      }
    return Self.line("tenant", "\(Self.visible(tenant.name)): \(answer)")
      + tenant.reasons.map { reason in
        let selector =
          "\(reason.key.name) = \(Self.visible(reason.value)): \(Self.word(reason.match))"
        return Self.line("", TextWidth.pad(selector, to: 38) + " " + (place(reason.origin) ?? ""))
      }.joined()
  }

  private func text(_ setting: Configuration.SettingInForce) -> String {
    let value = setting.value.map { Self.visible($0) } ?? "not set"
    var source = ["default"]
    if let place = place(setting.origin) {
      source = [setting.tenant.map { "tenant \(Self.visible($0))" } ?? "project"]
      if setting.isFromUncertainMatch { source.append("in doubt") }
      source.append(place)
    }
    return TextWidth.pad("\(setting.key.name) = \(value)", to: 38) + " "
      + source.joined(separator: ", ")
  }

  /// Returns the file and line of a source location, or nil.
  private func place(_ origin: Configuration.Origin?) -> String? {
    guard let origin, let configuration else { return nil }
    return Self.visible(configuration.place(of: origin))
  }

  // MARK: JSON

  /// The explanation as JSON. Member names stay the same from version to version. Members can be
  /// added to the object `from`, the source of a setting.
  package var json: JSON {
    .object([
      ("user", .string(Self.visible(account?.name ?? request.user))),
      ("uid", account.map { .number(Int64($0.uid)) } ?? .null),
      ("service", .string(Self.visible(request.service))),
      ("address", JSON(address.map { Self.visible($0.text) })),
      ("decision", .string(decision.kind.rawValue)),
      ("reason", .string(decision.reason)),
      ("waitSeconds", .number(decision.wait)),
      ("because", .array(rules.map { json($0) })),
      ("state", JSON(settings.map { $0.state.name })),
      ("authLine", JSON(authPosition.map { Self.visible($0.text) })),
      ("exceptions", .array(exceptions.map(\.json))),
      ("arguments", .array(module.arguments.map { .string(Self.visible($0)) })),
      (
        "accountLine",
        .object([
          ("finding", .string("\(accountLine.name)")),
          ("place", JSON((certainPosition ?? accountLine.obstacle).map { Self.visible($0) })),
        ])
      ),
      ("stored", storedJSON),
      (
        "configuration",
        .array((configuration?.files ?? []).map { .string(Self.visible($0)) })
      ),
      ("tenants", .array(tenants.map { json($0) })),
      ("settings", .array(origins.map { json($0) })),
    ])
  }

  private var authPosition: StackPosition? {
    switch module {
    case .called(let position, _): position
    case .notCalled, .unknown: nil
    }
  }

  private var certainPosition: [UInt8]? {
    switch accountLine {
    case .certain(let position): position.text
    case .missing, .denialIgnored, .otherConfiguration, .skippable, .forgotten, .unknown: nil
    }
  }

  private var storedJSON: JSON {
    switch stored {
    case .nothing: return .null
    case .problem(let problem):
      return .object([
        ("factors", .null), ("recoveryCodesLeft", .null), ("wrongCodes", .null),
        ("standing", .null), ("grants", .null), ("problem", problem.json),
      ])
    case .kept(let record, let attempts):
      return .object([
        (
          "factors",
          .array(
            record.factors.map {
              .object([
                ("id", .string("\(VisibleText($0.id))")),
                ("displayName", .string("\(VisibleText($0.displayName))")),
              ])
            })
        ),
        ("recoveryCodesLeft", .number(Int64(record.recoveryCodes.count))),
        ("wrongCodes", .number(Int64(attempts.failures))),
        ("standing", JSON(standing.map(\.word))),
        (
          "grants",
          .array(
            record.grants.map {
              .object([
                ("id", .string(Self.visible($0.id.hexadecimal))),
                ("kind", .string(Self.kind($0))),
                ("expires", JSON(Timestamp($0.expiresAt)?.iso8601)),
              ])
            })
        ),
        ("problem", .null),
      ])
    }
  }

  private func json(_ tenant: TenantMatch) -> JSON {
    .object([
      ("name", .string(Self.visible(tenant.name))), ("matches", .string(Self.word(tenant.match))),
      (
        "because",
        .array(
          tenant.reasons.map {
            .object([
              ("key", .string($0.key.name)), ("value", .string(Self.visible($0.value))),
              ("matches", .string(Self.word($0.match))), ("place", JSON(place($0.origin))),
            ])
          })
      ),
    ])
  }

  private func json(_ setting: Configuration.SettingInForce) -> JSON {
    .object([
      ("key", .string(setting.key.name)), ("value", JSON(setting.value.map { Self.visible($0) })),
      (
        "from",
        .object([
          ("tenant", JSON(setting.tenant.map { Self.visible($0) })),
          ("inDoubt", .bool(setting.isFromUncertainMatch)),
          ("place", JSON(place(setting.origin))),
        ])
      ),
    ])
  }
}
