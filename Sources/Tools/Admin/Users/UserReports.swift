import MFAAttempt
import MFABase
import MFAModel
import MFAStore

/// The result of clearing a user's remembered sign-ins.
package struct ClearedSignInsReport: Equatable {
  /// The user concerned.
  package let user: UserName
  /// The number of remembered sign-ins that were cleared.
  let rememberedCount: Int
  /// The checkpoint of the entry in the audit log, or nil if nothing was changed.
  package let mark: AuditLogCheckpoint?

  /// The result as one line: `alice: cleared 2 remembered sign-ins`.
  package var sentence: String {
    let name = VisibleText(user)
    return switch rememberedCount {
    case 0: "\(name): no sign-in was remembered"
    case 1: "\(name): cleared 1 remembered sign-in"
    case _: "\(name): cleared \(rememberedCount) remembered sign-ins"
    }
  }

  /// The result as JSON. Member names stay the same from version to version.
  package var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(rememberedCount > 0 ? "forgotten" : "nothing-remembered")),
      ("rememberedSignIns", .number(Int64(rememberedCount))),
      ("checkpoint", JSON(mark.map { AuditLogProblem.text($0) })),
    ])
  }
}

/// The result of a revocation.
package struct RevocationReport: Equatable {
  /// The user whose factors were revoked.
  package let user: UserName
  /// What was removed; nil if stored files were removed that could not be read.
  let removal: UserChange.Removal?
  /// Whether the change is in the audit log.
  package let entered: AuditLogOutcome

  /// What happens at the user's sign-ins now, if no factor is left and that was determined.
  package var effect: UnenrolledSignIns?

  /// Whether no factor is left.
  package var leavesNoFactor: Bool { (removal?.factorsLeft ?? 0) == 0 }

  /// The result as text, such as `alice: revoked phone`.
  package var sentence: String {
    let name = VisibleText(user)
    let done =
      if let removal, let factor = removal.factors.first {
        removal.isOfEverything
          ? "\(name): revoked every factor" : "\(name): revoked \(VisibleText(factor.displayName))"
      } else {
        "\(name): removed what was stored"
      }
    guard leavesNoFactor else { return done }
    return done + "; no factor is left" + (effect.map { ": " + $0.sentence } ?? "")
  }

  /// The result as JSON. Member names are stable across versions.
  package var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(removal == nil ? "discarded" : "revoked")),
      ("factors", removal.map { .array($0.factors.map(\.naming)) } ?? .null),
      ("factorsLeft", .number(Int64(removal?.factorsLeft ?? 0))),
      ("grants", removal.map { .number(Int64($0.grants)) } ?? .null),
      ("rememberedSignIns", removal.map { .number(Int64($0.remembered)) } ?? .null),
      ("signIns", JSON(effect?.rawValue)),
      ("checkpoint", JSON(entered.mark.map { AuditLogProblem.text($0) })),
      ("auditLogFailure", JSON(entered.problem?.sentence)),
    ])
  }
}

/// What happens at the sign-ins of a user without a factor.
package enum UnenrolledSignIns: String, Equatable, CaseIterable {
  /// No code is asked for.
  case withoutCode = "without-code"
  /// The user must enrol before the next sign-in, or in it.
  case denied = "must-enroll"
  /// Either, by the policy that applies to the sign-in.
  case dependsOnPolicy = "depends-on-policy"
  /// The configuration or the account cannot be read.
  case unknown

  /// Determines what the policy says about the user's sign-ins, for the host and all tenants.
  package init(
    of user: UserName, under policy: Configuration,
    isMember: @escaping (_ group: [UInt8]) -> Bool?
  ) {
    var asksForNone = false
    var denies = false
    for tenant in [nil] + policy.tenants.map({ Optional($0) }) {
      for subject in policy.subjects(of: tenant, user: user.bytes, isMember: isMember) {
        let settings = policy.settings(for: subject)
        switch (settings.state, settings.enrollment) {
        case (.enabled, .required): denies = true
        case (.enabled, .selfService), (.enabled, .offered), (.disabled, _), (.observe, _):
          asksForNone = true
        }
      }
    }
    self =
      switch (asksForNone, denies) {
      case (true, true): .dependsOnPolicy
      case (false, true): .denied
      case (_, false): .withoutCode
      }
  }

  /// The effect in words, to follow the words "no factor is left".
  package var sentence: String {
    switch self {
    case .withoutCode: "sign-ins now ask for no code"
    case .denied: "the user must enrol again"
    case .dependsOnPolicy:
      "where the policy does not require enrolment, sign-ins now ask for no code"
    case .unknown: "the policy that now applies cannot be read"
    }
  }
}

extension ThisHost {
  /// Returns what happens at the sign-ins of a user without a factor.
  package static func unenrolledSignIns(of user: UserName) -> UnenrolledSignIns {
    do throws(AdminError) {
      let policy = try policy()
      guard let account = try AccountSource.system.user(named: user).account else {
        return .unknown
      }
      return UnenrolledSignIns(of: user, under: policy) { account.isMember(of: $0) }
    } catch {
      return .unknown
    }
  }
}

/// The result of unlocking a user.
package struct UnlockingReport: Equatable {
  /// The user who was unlocked.
  package let user: UserName
  /// The effect of unlocking.
  let unlocking: UserChange.Unlocking
  /// Whether the change is in the audit log.
  package let entered: AuditLogOutcome
  /// The problem with the user's files that was accepted, or nil.
  package var accepted: RecordProblem?

  /// The result as text, such as `alice: 7 wrong codes, throttled 95 s: unlocked`.
  package var sentence: String {
    let text = "\(VisibleText(user)): \(unlocking.sentence)"
    return accepted == nil ? text : text + "; accepted the restored files"
  }

  /// The result as JSON; `before` uses the member names of `show`. Member names are stable across
  /// versions.
  package var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("result", .string(unlocking.wasLocked || accepted != nil ? "unlocked" : "not-locked")),
      ("acceptedRestored", .bool(accepted != nil)),
      (
        "before",
        .object([
          ("standing", .string(unlocking.standing.word)),
          ("waitSeconds", .number(unlocking.standing.waitSeconds)),
          ("wrongCodes", .number(Int64(unlocking.failures))),
          ("wrongCodesInOwnPrograms", .number(Int64(unlocking.ownFailures))),
          ("wrongCodesInDaemons", .number(Int64(unlocking.daemonFailures))),
        ])
      ),
      ("factorsAhead", .array(unlocking.ahead.map(\.naming))),
      ("rememberedSignIns", .number(Int64(unlocking.remembered))),
      ("checkpoint", JSON(entered.mark.map { AuditLogProblem.text($0) })),
      ("auditLogFailure", JSON(entered.problem?.sentence)),
    ])
  }
}

extension UserChange.Unlocking {
  /// Whether codes were refused without being verified.
  var wasLocked: Bool { [standing, ownStanding, daemonStanding].contains { $0 != .open } }

  /// The effect as text, such as `7 wrong codes, throttled 95 s: unlocked`.
  var sentence: String {
    // A lock applies to all kinds of attempts, so mention it only once.
    let isLocked = standing == .locked
    let found =
      Self.found(failures, "", standing)
      + Self.found(ownFailures, " in the user's own programs", isLocked ? .open : ownStanding)
      + Self.found(daemonFailures, " in daemons", isLocked ? .open : daemonStanding)
    let text = found.joined(separator: ", ")
    if wasLocked { return text + ": unlocked" + cleared + warning }
    return "was not locked" + (found.isEmpty ? "" : "; cleared: " + text) + cleared + warning
  }

  private var cleared: String {
    switch remembered {
    case 0: ""
    case 1: "; cleared 1 remembered sign-in"
    case _: "; cleared \(remembered) remembered sign-ins"
    }
  }

  private static func found(
    _ failures: UInt32, _ place: String, _ standing: AttemptState.Standing
  ) -> [String] {
    let codes =
      failures == 0 ? [] : ["\(failures) wrong \(failures == 1 ? "code" : "codes")\(place)"]
    switch standing {
    case .open: return codes
    case .throttled(let seconds): return codes + ["throttled \(seconds) s"]
    case .locked: return codes + ["locked"]
    }
  }

  private var warning: String {
    guard !ahead.isEmpty else { return "" }
    let names = ahead.map { "\(VisibleText($0.displayName))" }.joined(separator: ", ")
    return "; the last accepted code of \(names) lies in the future, and no code is accepted until"
      + " then: revoke the factor, and have the user enrol again"
  }
}

extension AttemptState.Standing {
  /// The throttling state as a word for programs, stable across versions.
  package var word: String { "\(name)" }

  /// The remaining wait in seconds, or 0 if the user is not throttled.
  package var waitSeconds: Int64 {
    switch self {
    case .throttled(let seconds): seconds
    case .open, .locked: 0
    }
  }
}
