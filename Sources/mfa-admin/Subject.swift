import FactorStore
import Factors
import System

/// Whom a command is about.
struct Subject: Equatable {
  /// The name, in the account's own spelling where there is one.
  let name: UserName

  /// The account; nil where the system knows none.
  let account: Account?

  /// The account, or one of the name that no record can be of: what is stored under the name is then
  /// found, and refused.
  var accountOrNobody: Account { account ?? Account(name: name.bytes, uid: .max) }

  /// That nothing is stored for the user.
  var absence: AdminError { account == nil ? .noSuchUser(name) : .notEnrolled(name) }

  /// Why the store refuses what is stored for the user.
  func trouble(_ error: FactorStoreError) -> Trouble {
    let trouble = Trouble(error)
    return account == nil && trouble == .belongsToAnother ? .noSuchAccount : trouble
  }
}
