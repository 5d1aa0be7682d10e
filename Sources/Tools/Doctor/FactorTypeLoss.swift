import MFAAdmin
import MFABase
import MFAModel
import MFASignIn

/// The users who have a factor of a type that a change of the configuration no longer allows.
package struct FactorTypeLoss: Equatable {
  /// The type.
  let type: Configuration.FactorType
  /// The names of the users who have enrolled such a factor.
  let users: [String]
  /// The names of those who can no longer sign in, as `mfa-admin readiness` predicts it.
  let lockedOut: [String]

  /// The loss in words.
  package var sentence: String {
    let (noun, verb) = type == .totp ? ("authenticator apps", "use") : ("phones", "get codes on")
    let who = users.count == 1 ? "1 user" : "\(users.count) users"
    let text = "\(who) (\(NameList.text(users))) can no longer \(verb) their \(noun)"
    guard !lockedOut.isEmpty else {
      return text + "; none is locked out, because of other factors or recovery codes"
    }
    return text
      + "; \(lockedOut.count) of them (\(NameList.text(lockedOut))) can no longer sign in; to allow "
      + "these factors, add \(type.name) to factors"
  }

  /// Counts the owners of factors of each type, and predicts who of them can no longer sign in.
  static func losses(
    of owners: [Configuration.FactorType: [Account]], _ snapshot: HostSnapshot,
    _ before: PolicyEffect.Policy, _ after: PolicyEffect.Policy, _ machine: some Host
  ) -> [FactorTypeLoss] {
    let all = Dictionary(owners.values.joined().map { ($0.name, $0) }) { first, _ in first }.values
    guard !all.isEmpty else { return [] }
    let earlier = lockedOut(Array(all), snapshot, before, machine)
    let later = lockedOut(Array(all), snapshot, after, machine).subtracting(earlier)
    return Configuration.FactorType.allCases.compactMap { type in
      guard let accounts = owners[type] else { return nil }
      return FactorTypeLoss(
        type: type, users: accounts.map { VisibleText.escaping($0.name) },
        lockedOut: accounts.filter { later.contains($0.name) }
          .map { VisibleText.escaping($0.name) })
    }
  }

  /// Returns the names of the accounts that cannot sign in under a configuration.
  private static func lockedOut(
    _ accounts: [Account], _ snapshot: HostSnapshot, _ policy: PolicyEffect.Policy,
    _ machine: some Host
  ) -> Set<[UInt8]> {
    guard case .success(let configuration)? = policy[nil] else {
      return Set(accounts.map(\.name))
    }
    let survey = ReadinessSurvey(
      of: snapshot, under: configuration, on: machine, files: policy)
    do throws(AdminError) {
      return Set(try survey.readiness(of: accounts, tenant: nil).lockedOut.map(\.who.account.name))
    } catch {
      return Set(accounts.map(\.name))
    }
  }
}
