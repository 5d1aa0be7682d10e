import MFAWire
import MFASignIn

extension SignIn where Asker == ServedApplication {
  /// Runs a line of a service file.
  package func run(_ line: ModuleLine) -> SignInConclusion {
    switch line {
    case .auth: return authenticated()
    case .account: return accountChecked()
    case .session:
      beginSession()
      return SignInConclusion(.deny, because: nil)
    }
  }
}
