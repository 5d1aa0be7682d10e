import MFAAdminCore
import MFAAdminOutput
import MFADoctor
import MFAFactors
import MFAPAMStack
import MFASystem

/// The sign-ins that would be denied if policy were enforced now, by account and service.
package enum DeniedSignIns {
  /// Predicts the sign-ins of accounts at all services that call the module.
  ///
  /// `mayRootUseSSH` is whether sshd lets root sign in with a password.
  package static func onThisHost(
    _ accounts: [Account], at services: [ServiceWithModule], mayRootUseSSH: Bool,
    progress: Progress = .silent
  ) -> [Readiness.DeniedSignIn] {
    var progress = progress
    var denied: [Readiness.DeniedSignIn] = []
    for (count, account) in accounts.enumerated() {
      defer { progress.step(count, of: accounts.count) }
      guard let user = UserName(account.name) else { continue }
      for service in services where isAsked(account, service, mayRootUseSSH) {
        let decision = Explanation.onThisHost(
          user: user, service: service.name, remoteHost: nil, isEnforced: true
        ).decision
        switch decision.kind {
        case .asked, .allowed, .hasToEnroll: continue
        case .denied, .throttled:
          denied.append(
            Readiness.DeniedSignIn(
              account: account, service: service.visibleName, reason: decision.sentence))
        }
      }
    }
    progress.finish()
    return denied
  }

  /// Returns whether a service can ask an account for a code: tools of users never ask root, except
  /// for signing in as root.
  private static func isAsked(
    _ account: Account, _ service: ServiceWithModule, _ mayRootUseSSH: Bool
  ) -> Bool {
    guard account.uid == 0 else { return true }
    switch String(decoding: service.name, as: UTF8.self) {
    case "login", "remote", "su", "su-l": return true
    case "sshd": return mayRootUseSSH
    case _: return false
    }
  }
}
