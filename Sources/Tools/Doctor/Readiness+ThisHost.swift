import MFAAdmin
import MFAModel
import MFASignIn
import MFABase

extension Readiness {
  /// The sign-ins to predict.
  package struct Question {
    /// The accounts.
    package let accounts: [Account]
    /// The services that call the module, or are meant to.
    package let services: [[UInt8]]
    /// The name of the tenant to examine; nil for the host and all its tenants.
    package let tenant: [UInt8]?

    /// Creates a question.
    package init(accounts: [Account], services: [[UInt8]], tenant: [UInt8]? = nil) {
      self.accounts = accounts
      self.services = services
      self.tenant = tenant
    }
  }

  /// Predicts sign-ins on the host that the program runs on, whose configuration is `policy` and whose
  /// rules are `rules`.
  package static func onThisHost(
    _ question: Question, under policy: Configuration, rules: HostRules,
    progress: Progress = .silent
  ) throws(AdminError) -> Readiness {
    try ReadinessSurvey(under: policy, rules: rules, on: ThisMachine())
      .readiness(for: question, progress: progress)
  }
}
