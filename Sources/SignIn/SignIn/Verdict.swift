import MFAAttempt
import MFACMFA
import MFAModel

/// What the module tells the PAM stack. The cases are in mfa.h; `deny` is zero, so that zeroed
/// memory denies.
package typealias Verdict = mfa_verdict

extension Verdict {
  /// Returns the verdict on a result. No other code of this target returns `allow` or `pass`.
  /// packaging/THREATS.md lists all lines that allow a sign-in. (`AllowingPlacesTests`)
  ///
  /// There are two reasons for `pass`. Multi-factor authentication is switched off or only
  /// observed; or the user has no factor, and enrolment is self-service, may still be put off, or
  /// will be required by the `account` line, which the stack is certain to reach.
  package init(_ result: SignInResult, state: Configuration.State) {
    self =
      switch (state, result) {
      // Policy cannot make up for a first factor.
      case (_, .denied(.failed(.firstFactorMissing))): .deny
      // A program password is the first factor too, which no other line would verify.
      case (.enabled, .allowed), (.observe, .allowed(.programPassword)): .allow
      case (.disabled, _), (.observe, _), (.enabled, .passed): .pass
      case (.enabled, .denied(.code(let rejected))) where rejected.mustWait: .tooManyAttempts
      case (.enabled, .denied(.codeRequired)): .notPermitted
      case (.enabled, .denied): .deny
      }
  }
}
