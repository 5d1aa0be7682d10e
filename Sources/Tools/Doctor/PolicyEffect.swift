import MFAAdmin
import MFAAttempt
import MFABase
import MFAModel
import MFAPAMStack
import MFASignIn

/// The sign-ins that are decided in another way after a change of the configuration, for `mfa-admin config set`,
/// `write` and `edit`.
///
/// MUST 1: each sign-in is predicted by an `Explanation`, under the configuration before the change and under that
/// after it. (`PolicyEffectTests`)
package struct PolicyEffect {
  /// What the files of the configuration said at one time: the host's configuration, for the path nil, and that of
  /// services that name a file.
  package typealias Policy = [[UInt8]?: Result<Configuration, ConfigurationError>]

  /// How a sign-in is decided.
  enum Outcome: Hashable {
    case asked, observed, unasked, enrolling, throttled
    case denied(String)
    case unknown(String)

    init(_ explanation: Explanation) {
      self =
        switch explanation.decision.kind {
        case .asked: explanation.state == .observe ? .observed : .asked
        case .allowed: .unasked
        case .hasToEnroll: .enrolling
        case .throttled: .throttled
        case .denied: .denied(explanation.decision.reason)
        case .unknown: .unknown(explanation.decision.reason)
        }
    }

    /// The outcome in words, at a place.
    func sentence(at place: String) -> String {
      switch self {
      case .asked: "asked for a code at \(place)"
      case .observed: "asked for a code at \(place), and let in whatever they answer"
      case .unasked: "let in without a code at \(place)"
      case .enrolling: "made to enrol at \(place)"
      case .throttled: "made to wait at \(place), because of wrong codes"
      case .denied(let reason): "denied at \(place): \(reason)"
      case .unknown(let reason): "treated at \(place) in a way that cannot be predicted: \(reason)"
      }
    }

    /// The outcome in words, for what was before.
    var former: String {
      switch self {
      case .asked: "asked for a code"
      case .observed: "asked for a code, and let in whatever they answered"
      case .unasked: "let in without a code"
      case .enrolling: "made to enrol"
      case .throttled: "made to wait"
      case .denied: "denied"
      case .unknown: "not predictable"
      }
    }
  }

  /// A change of the decision about sign-ins at one place.
  struct Change: Hashable {
    /// The service, and the address if the change is only for sign-ins from it.
    let place: String
    let before: Outcome
    let after: Outcome
  }

  /// The changes, in the order in which they were found, each with the names of the users.
  let changes: [(change: Change, users: [String])]
  /// The types of factors that are no longer allowed to users who have them.
  package let losses: [FactorTypeLoss]
  /// The number of accounts whose sign-ins were predicted.
  let accounts: Int
  /// The number of services that call the module.
  let services: Int

  /// Reads what the configuration says now. `path` is a file that services can name.
  package static func policy(with path: [UInt8]) -> Policy {
    func read(_ path: [UInt8]?) -> Result<Configuration, ConfigurationError> {
      Result { () throws(ConfigurationError) in
        try DecidingUser.reading { () throws(ConfigurationError) in
          try LocalAuthenticationHost().configuration(at: path)
        }
      }
    }
    return [nil: read(nil), path: read(path)]
  }

  /// Predicts the sign-ins of these accounts on the host that the program runs on.
  package static func onThisHost(
    _ snapshot: HostSnapshot, from before: Policy, to after: Policy, accounts: [Account]
  ) -> PolicyEffect {
    PolicyEffect(
      snapshot, from: before, to: after, accounts: accounts, on: ThisMachine(),
      progress: Console.progress)
  }

  /// Predicts the sign-ins of these accounts on a machine.
  init(
    _ snapshot: HostSnapshot, from before: Policy, to after: Policy, accounts: [Account],
    on machine: some Host, progress: Progress = .silent
  ) {
    self.accounts = accounts.count
    services = snapshot.meantToAsk.count
    var progress = progress
    let comparison = PolicyComparison(snapshot, before, after, machine)
    var changes: [(change: Change, users: [String])] = []
    var owners: [Configuration.FactorType: [Account]] = [:]
    for (count, account) in accounts.enumerated() {
      progress.step(count, of: accounts.count)
      guard let user = UserName(account.name) else { continue }
      for type in comparison.typesLost(by: account, at: snapshot.meantToAsk) {
        owners[type, default: []].append(account)
      }
      for service in snapshot.meantToAsk {
        guard let change = comparison.change(for: account, user, at: service) else { continue }
        let name = VisibleText(user).description
        if let index = changes.firstIndex(where: { $0.change == change }) {
          changes[index].users.append(name)
        } else {
          changes.append((change, [name]))
        }
      }
    }
    progress.finish()
    self.changes = changes
    losses = FactorTypeLoss.losses(of: owners, snapshot, before, after, machine)
  }

  /// The effect as lines of text for an administrator.
  package var text: String {
    guard services > 0 else { return "no service calls pam_mfa.so, so no sign-in changes\n" }
    guard !changes.isEmpty else {
      let users = accounts == 1 ? "1 user" : "\(accounts) users"
      return "the sign-ins of the \(users) that the system lists are decided as before\n"
    }
    return changes.map { change, users in
      let who =
        (users.count == 1 ? "1 user" : "\(users.count) users") + " (\(NameList.text(users)))"
      return
        "\(who) will be \(change.after.sentence(at: change.place)) (before: \(change.before.former))\n"
    }.joined()
  }
}
