import MFAAdmin
import MFAStore
import MFAModel
import MFABase

/// The users who could sign in if policy were enforced now, who have to enrol for that, and who could not, on
/// the host and for each of its tenants.
package struct Readiness: Equatable {
  /// A reason why a user could not sign in.
  package enum Obstacle: Equatable {
    /// The user has no factor, and policy requires one.
    case notEnrolled
    /// The user has no factor, and can no longer postpone enrolment.
    case offerOver
    /// No code is verified for this many seconds.
    case throttled(seconds: Int64)
    /// The factors are locked after too many wrong codes.
    case locked
    /// The user's record cannot be used.
    case unusable(RecordProblem)
    /// Sign-ins at these services are denied, for this reason.
    case denied(at: [String], String)

    /// A word for programs, stable across versions.
    package var code: String {
      switch self {
      case .notEnrolled: "not-enrolled"
      case .offerOver: "offer-over"
      case .throttled: "throttled"
      case .locked: "locked"
      case .unusable: "unusable"
      case .denied: "denied"
      }
    }

    /// The obstacle in words, to follow the user's name.
    package var sentence: String {
      switch self {
      case .notEnrolled: "has no factor, but must have one"
      case .offerOver: "has no factor, and can no longer postpone enrolment"
      case .throttled(let seconds): "is throttled for \(seconds) s after too many wrong codes"
      case .locked: "is locked after too many wrong codes"
      case .unusable(let problem): "has a record that cannot be used: \(problem.sentence)"
      case .denied(let services, let reason): "at \(NameList.text(services)): \(reason)"
      }
    }
  }

  /// A user who would be locked out.
  package struct LockedOut: Equatable {
    package let account: Account
    package var obstacle: Obstacle
  }

  /// A name under which no user can sign in, whatever policy says.
  package struct Excluded: Equatable {
    package let name: [UInt8]
    /// The user ID; nil if there is no account.
    package let uid: UInt32?
    /// The reason, in words.
    package let reason: String
  }

  /// The sign-ins of one tenant, or the host's sign-ins that no tenant matches.
  package struct Scope: Equatable {
    /// The tenant; nil for the host.
    package let tenant: [UInt8]?
    /// The accounts whose sign-ins can belong to this scope, including those below.
    package var accounts: [Account] = []
    package var lockedOut: [LockedOut] = []
    /// The accounts whose users have to enrol when they sign in.
    package var hasToEnroll: [Account] = []

    /// The scope's name for display.
    package var name: String { tenant.map { "tenant \(VisibleText.escaping($0))" } ?? "host" }
  }

  /// The scopes, the host first.
  package let scopes: [Scope]
  /// The users whose sign-ins would be denied at a service that calls the module, according to
  /// `mfa-admin explain`, once for each service.
  package var denied: [LockedOut] = []
  /// The names under which no user can sign in at any of the services, whatever policy says.
  package var excluded: [Excluded] = []
  /// The ways into services without a first factor, each in words.
  package var withoutFirstFactor: [String] = []
  /// What was not examined, each in words.
  package var notExamined: [String] = []
}

extension Readiness {
  /// The accounts that were checked, each once, by name.
  private var checked: [[UInt8]: Account] {
    Dictionary(scopes.flatMap { $0.accounts.map { ($0.name, $0) } }) { first, _ in first }
  }

  /// The number of accounts that were checked, each counted once.
  package var accounts: Int {
    Set(checked.keys).union(excluded.map(\.name)).count
  }

  /// The users who would be locked out in at least one scope, or denied at a service, sorted by name.
  /// Each is listed once, with the first obstacle and the scopes concerned.
  package var lockedOut: [(who: LockedOut, scopes: [Scope])] {
    var found: [[UInt8]: (who: LockedOut, scopes: [Scope])] = [:]
    for scope in scopes {
      for who in scope.lockedOut {
        found[who.account.name, default: (who, [])].scopes.append(scope)
      }
    }
    for var who in denied where found[who.account.name]?.scopes.isEmpty ?? true {
      if case .denied(let services, _) = who.obstacle,
        case .denied(let earlier, let first)? = found[who.account.name]?.who.obstacle
      {
        who.obstacle = .denied(at: earlier + services, first)
      }
      found[who.account.name] = (who, [])
    }
    return found.values.sorted {
      $0.who.account.name.lexicographicallyPrecedes($1.who.account.name)
    }
  }

  /// The users who have to enrol when they sign in, and are then let in, sorted by name.
  package var hasToEnroll: [Account] {
    let lockedOut = Set(lockedOut.map(\.who.account.name))
    let names = Set(scopes.flatMap { $0.hasToEnroll.map(\.name) }).subtracting(lockedOut)
    let accounts = checked
    return names.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { accounts[$0] }
  }

  /// The number of users who can sign in as they are.
  package var ready: Int { accounts - lockedOut.count - hasToEnroll.count - excluded.count }

  /// Returns the result as lines of text for an administrator, of at most this many columns where
  /// possible.
  package func text(columns: Int?) -> String { TextWidth.wrapped(text, to: columns) }

  private var text: String {
    let (lockedOut, enrolling) = (lockedOut, hasToEnroll)
    var text = "\(ready) of \(accounts) ready"
    if !enrolling.isEmpty {
      text += ", \(enrolling.count) "
      text += enrolling.count == 1 ? "has to enrol at a sign-in" : "have to enrol at a sign-in"
    }
    if !excluded.isEmpty { text += ", \(excluded.count) cannot sign in anyway" }
    if !lockedOut.isEmpty {
      text += lockedOut.count == 1 ? ", this 1" : ", these \(lockedOut.count)"
      text += " would be locked out:"
    }
    text += "\n"
    for (who, places) in lockedOut {
      text += "  \(VisibleText.escaping(who.account.name)) \(who.obstacle.sentence)"
      text +=
        scopes.count > 1 && !places.isEmpty
        ? " (\(places.map(\.name).joined(separator: ", ")))\n" : "\n"
    }
    for account in enrolling {
      text += "has to enrol: \(VisibleText.escaping(account.name))\n"
    }
    for who in excluded {
      text += "cannot sign in: \(VisibleText.escaping(who.name)): \(who.reason)\n"
    }
    for way in withoutFirstFactor { text += "no first factor: \(way)\n" }
    for subject in notExamined { text += "not examined: \(subject)\n" }
    guard scopes.count > 1 else { return text }
    for scope in scopes {
      text += "\(scope.name): \(ready(in: scope)) of \(scope.accounts.count) ready\n"
    }
    return text
  }

  /// Returns the number of users of a scope who can sign in there as they are.
  private func ready(in scope: Scope) -> Int {
    let others = Set(
      scope.lockedOut.map(\.account.name) + scope.hasToEnroll.map(\.name) + excluded.map(\.name))
    return scope.accounts.filter { !others.contains($0.name) }.count
  }

  /// The result as JSON. Member names are stable across versions.
  package var json: JSON {
    let lockedOut = lockedOut
    return .object([
      ("accounts", .number(Int64(accounts))),
      ("ready", .number(Int64(ready))),
      (
        "lockedOut",
        .array(
          lockedOut.map { who, places in
            .object([
              ("user", .string(String(decoding: who.account.name, as: UTF8.self))),
              ("uid", .number(Int64(who.account.uid))),
              ("reason", .string(who.obstacle.code)), ("message", .string(who.obstacle.sentence)),
              ("scopes", .array(places.map { .string($0.name) })),
            ])
          })
      ),
      (
        "hasToEnroll",
        .array(
          hasToEnroll.map { account in
            .object([
              ("user", .string(String(decoding: account.name, as: UTF8.self))),
              ("uid", .number(Int64(account.uid))),
            ])
          })
      ),
      (
        "cannotSignIn",
        .array(
          excluded.map { who in
            .object([
              ("user", .string(String(decoding: who.name, as: UTF8.self))),
              ("uid", who.uid.map { .number(Int64($0)) } ?? .null),
              ("message", .string(who.reason)),
            ])
          })
      ),
      (
        "scopes",
        .array(
          scopes.map {
            .object([
              ("scope", .string($0.name)), ("accounts", .number(Int64($0.accounts.count))),
              ("ready", .number(Int64(ready(in: $0)))),
            ])
          })
      ), ("withoutFirstFactor", .array(withoutFirstFactor.map { .string($0) })),
      ("notExamined", .array(notExamined.map { .string($0) })),
    ])
  }
}
