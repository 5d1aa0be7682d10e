public import MFAResidentProtocol
public import MFASignIn

extension SignIn where Asker == ServedApplication {
  /// Runs a line of a service file, and returns the verdict.
  public func verdict(of line: ModuleLine) -> Verdict {
    switch line {
    case .auth: return authenticate()
    case .account: return checkAccount()
    case .session:
      beginSession()
      return .deny
    }
  }
}
