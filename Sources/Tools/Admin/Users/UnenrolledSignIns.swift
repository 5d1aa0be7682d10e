import MFAAttempt
import MFAModel
import MFABase

/// What happens at the sign-ins of a user without a factor.
package enum UnenrolledSignIns: String, Equatable, CaseIterable {
  /// No code is asked for.
  case withoutCode = "without-code"
  /// The user must enrol before the next sign-in, or in it.
  case denied = "must-enroll"
  /// Either, by the policy that applies to the sign-in.
  case dependsOnPolicy = "depends-on-policy"
  /// The configuration or the account cannot be read.
  case unknown

  /// Determines what the policy says about the user's sign-ins, for the host and all tenants.
  package init(
    of user: UserName, under policy: Configuration,
    isMember: @escaping (_ group: [UInt8]) -> Bool?
  ) {
    var asksForNone = false
    var denies = false
    for tenant in [nil] + policy.tenants.map({ Optional($0) }) {
      for subject in policy.subjects(of: tenant, user: user.bytes, isMember: isMember) {
        let settings = policy.settings(for: subject)
        switch (settings.state, settings.enrollment) {
        case (.enabled, .required): denies = true
        case (.enabled, .selfService), (.enabled, .offered), (.disabled, _), (.observe, _):
          asksForNone = true
        }
      }
    }
    self =
      switch (asksForNone, denies) {
      case (true, true): .dependsOnPolicy
      case (false, true): .denied
      case (_, false): .withoutCode
      }
  }

  /// The effect in words, to follow the words "no factor is left".
  package var sentence: String {
    switch self {
    case .withoutCode: "sign-ins now ask for no code"
    case .denied: "the user must enrol again"
    case .dependsOnPolicy:
      "where the policy does not require enrolment, sign-ins now ask for no code"
    case .unknown: "the policy that now applies cannot be read"
    }
  }
}

extension ThisHost {
  /// Returns what happens at the sign-ins of a user without a factor.
  package static func unenrolledSignIns(of user: UserName) -> UnenrolledSignIns {
    do throws(ConfigurationFile.Failure) {
      let policy = try DecidingUser.configuration()
      do throws(SystemError) {
        guard let account = try Account.named(user.bytes) else { return .unknown }
        return UnenrolledSignIns(of: user, under: policy) { account.isMember(of: $0) }
      } catch {
        return .unknown
      }
    } catch {
      return .unknown
    }
  }
}
