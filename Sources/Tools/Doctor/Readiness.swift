import MFAAdmin
import MFAStore
import MFAModel
import MFABase

/// The users who could sign in if policy were enforced now, on the host and for each of its
/// tenants.
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
    package fileprivate(set) var obstacle: Obstacle
  }

  /// The sign-ins of one tenant, or the host's sign-ins that no tenant matches.
  package struct Scope: Equatable {
    /// The tenant; nil for the host.
    package let tenant: [UInt8]?
    /// The login accounts whose sign-ins can belong to this scope, including those in `lockedOut`.
    package let accounts: [Account]
    package let lockedOut: [LockedOut]

    /// The scope's name for display.
    package var name: String { tenant.map { "tenant \(VisibleText.escaping($0))" } ?? "host" }
  }

  /// The scopes, the host first.
  package let scopes: [Scope]
  /// The users whose sign-ins would be denied at a service that calls the module, according to
  /// `mfa-admin explain`, once for each service.
  package var denied: [LockedOut] = []
  /// The ways into services without a first factor, each in words.
  package var withoutFirstFactor: [String] = []
}

extension Readiness {
  /// The number of accounts that were checked, each counted once.
  package var accounts: Int { Set(scopes.flatMap { $0.accounts.map(\.name) }).count }

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

  /// Returns the result as lines of text for an administrator, of at most this many columns where
  /// possible.
  package func text(columns: Int?) -> String { TextWidth.wrapped(text, to: columns) }

  private var text: String {
    let lockedOut = lockedOut
    let ready = "\(accounts - lockedOut.count) of \(accounts) ready"
    var text = ready
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
    for way in withoutFirstFactor { text += "no first factor: \(way)\n" }
    guard scopes.count > 1 else { return text }
    for scope in scopes {
      let count = scope.accounts.count
      text += "\(scope.name): \(count - scope.lockedOut.count) of \(count) ready\n"
    }
    return text
  }

  /// The result as JSON. Member names are stable across versions.
  package var json: JSON {
    let lockedOut = lockedOut
    return .object([
      ("accounts", .number(Int64(accounts))),
      ("ready", .number(Int64(accounts - lockedOut.count))),
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
        "scopes",
        .array(
          scopes.map {
            .object([
              ("scope", .string($0.name)), ("accounts", .number(Int64($0.accounts.count))),
              ("ready", .number(Int64($0.accounts.count - $0.lockedOut.count))),
            ])
          })
      ), ("withoutFirstFactor", .array(withoutFirstFactor.map { .string($0) })),
    ])
  }
}
