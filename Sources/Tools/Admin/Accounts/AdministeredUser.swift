import MFABase
import MFAModel
import MFAStore

/// The user that a command concerns.
package struct AdministeredUser: Equatable {
  /// The name, spelled as in the account if there is one.
  package let name: UserName

  /// The account, or nil if the system has no such account.
  package let account: Account?

  /// The account. For a name without an account, an account with a UID that no record has: the
  /// store then finds what is stored under the name, and refuses it.
  var accountOrPlaceholder: Account { account ?? Account(name: name.bytes, uid: .max) }

  /// The error to throw when nothing is stored for the user.
  var absence: AdminError { account == nil ? .noSuchUser(name) : .notEnrolled(name) }

  /// Returns why the store refuses the user's record.
  package func problem(_ error: FactorStoreError) -> RecordProblem {
    let problem = RecordProblem(error)
    return account == nil && problem == .belongsToAnother ? .noSuchAccount : problem
  }
}
