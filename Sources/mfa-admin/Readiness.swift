import FactorStore
import Factors
import Policy
import System

/// Who could sign in if policy were enforced now, on the host and for each of its tenants.
struct Readiness: Equatable {
  /// Why somebody could not.
  enum Obstacle: Equatable {
    /// There is no factor, and there must be one.
    case notEnrolled
    /// There is no factor, and enrolling one can be put off no longer.
    case offerOver
    /// For so many seconds nothing is looked at.
    case waiting(seconds: Int64)
    /// There were too many wrong codes.
    case disabled
    /// What is stored cannot be used.
    case unusable(Trouble)

    /// A word that stays the same from version to version, for programs.
    var code: String {
      switch self {
      case .notEnrolled: "not-enrolled"
      case .offerOver: "offer-over"
      case .waiting: "waiting"
      case .disabled: "disabled"
      case .unusable: "unusable"
      }
    }

    /// In words.
    var sentence: String {
      switch self {
      case .notEnrolled: "has no factor, and must have one"
      case .offerOver: "has no factor, and can put enrolling off no longer"
      case .waiting(let seconds): "waits \(seconds) s after too many wrong codes"
      case .disabled: "is disabled after too many wrong codes"
      case .unusable(let trouble): "has what cannot be used: \(trouble.sentence)"
      }
    }
  }

  /// Somebody who would be locked out.
  struct LockedOut: Equatable {
    let account: Account
    let obstacle: Obstacle
  }

  /// The sign-ins of one tenant, or those of the host that no tenant matches.
  struct Scope: Equatable {
    /// The tenant; nil for the host.
    let tenant: [UInt8]?
    /// Whose sign-ins there are.
    let accounts: [Account]
    let lockedOut: [LockedOut]

    /// The scope as a person reads it.
    var name: String { tenant.map { "tenant \(VisibleText.escaping($0))" } ?? "host" }
  }

  /// The host first.
  let scopes: [Scope]
}

extension Readiness {
  /// Everybody whose sign-ins were looked at, each once.
  var accounts: Int { Set(scopes.flatMap { $0.accounts.map(\.name) }).count }

  /// Those who would be locked out somewhere, by name, each once with the first obstacle and where.
  var lockedOut: [(who: LockedOut, scopes: [Scope])] {
    var found: [[UInt8]: (who: LockedOut, scopes: [Scope])] = [:]
    for scope in scopes {
      for who in scope.lockedOut {
        found[who.account.name, default: (who, [])].scopes.append(scope)
      }
    }
    return found.values.sorted {
      $0.who.account.name.lexicographicallyPrecedes($1.who.account.name)
    }
  }

  /// The lines for a person, each with a line feed.
  var text: String {
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
      text += scopes.count > 1 ? " (\(places.map(\.name).joined(separator: ", ")))\n" : "\n"
    }
    guard scopes.count > 1 else { return text }
    for scope in scopes {
      let count = scope.accounts.count
      text += "\(scope.name): \(count - scope.lockedOut.count) of \(count) ready\n"
    }
    return text
  }

  /// For programs. Names of members stay the same from version to version.
  var json: JSON {
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
      ),
    ])
  }
}
