// MFAExplain: a prediction of how a sign-in would be decided now.
//
// `Explanation` is the prediction with its reasons, and its forms as text and as JSON. `Decision`
// is the predicted decision. `SimulatedHost` and `SilentApplication` are the host and the
// application of the sign-in that is run for the prediction.
//
// MUST 1: this library is the only one of the tools that runs the code of `MFASignIn`.
// MUST 2: a prediction verifies no code and changes nothing.

import MFADoctor
import MFAFactors
import MFASignIn
import MFASystem

extension Explanation {
  /// Predicts a sign-in on the host that the program runs on.
  package static func onThisHost(
    user: UserName, service: [UInt8], remoteHost: [UInt8]?, isEnforced: Bool = false
  ) -> Explanation {
    Explanation(
      user: user, service: service, remoteHost: remoteHost, isEnforced: isEnforced, on: LocalHost())
  }

  /// Predicts a sign-in, and for the services of sudo also what sudo asks PAM for, by its own rules.
  package static func onThisHost(
    user: UserName, service: [UInt8], remoteHost: [UInt8]?, rulesOf host: any ExaminedHost
  ) -> Explanation {
    Explanation(
      user: user, service: service, remoteHost: remoteHost,
      sudo: Doctor.sudoFindings(for: user, at: service, on: host), on: LocalHost())
  }
}
