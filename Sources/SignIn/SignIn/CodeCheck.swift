import MFAStore
import MFABase

/// The verification of a code in one sign-in: the account, and the source of its factors.
final class CodeCheck<Store: FactorStore> {
  /// The account whose factors count, which may be another name of the same user.
  let account: Account
  /// The source of the factors.
  let backend: FactorBackend<Store>
  /// The sign-in.
  let resolved: ResolvedSignIn<Store>

  init(of account: Account, by backend: FactorBackend<Store>, in resolved: ResolvedSignIn<Store>) {
    self.account = account
    self.backend = backend
    self.resolved = resolved
  }
}
