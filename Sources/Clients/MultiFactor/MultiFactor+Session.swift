import MFABase
import MFAWire

/// The proof that the user was recently verified as the owner of the account, or a sign-in that waits
/// for a second factor.
///
/// A session is valid only in the conversation with the helper that created it. A session from
/// `MultiFactor.session()` ends at its deadline, when the most recently enrolled factor is unenrolled,
/// and when anything other than the session changes the user's factors. The session of a
/// `MultiFactorResolver` allows no changes: operations that need a session throw
/// `requiresRecentLogin`.
public struct MultiFactorSession: Sendable {
  /// What a session is for.
  enum Purpose: Sendable {
    case changes, signIn
  }

  /// The actor that holds the conversation.
  let multiFactor: MultiFactor
  let purpose: Purpose
  /// The number of the conversation.
  let conversation: Int
  /// The number of the session, counted from 1 for each actor; 0 for a sign-in.
  let number: Int
  /// How long the session lasts from its creation. Nil for the session of a resolver, which lasts as
  /// long as the resolver.
  public let duration: Duration?
}

/// The rest of a sign-in that needs a second factor: the choice of a factor, and a code from it.
///
/// `MultiFactor.signIn()` throws `secondFactorRequired`, which contains a resolver. The program lets
/// the user choose among the `hints`, creates an assertion with
/// `TOTPMultiFactorGenerator.assertionForSignIn` or `PhoneMultiFactorGenerator.assertion`, and continues after `resolveSignIn` returns.
public struct MultiFactorResolver: Equatable, Sendable {
  /// The session of this sign-in. It allows no changes.
  public let session: MultiFactorSession

  /// The factors to choose from, oldest first. Never empty.
  public let hints: [MultiFactorInfo]

  init(session: MultiFactorSession, hints: [MultiFactorInfo]) {
    self.session = session
    self.hints = hints
  }

  /// Returns whether two resolvers are of the same value of `MultiFactor` and have the same hints.
  public static func == (left: MultiFactorResolver, right: MultiFactorResolver) -> Bool {
    left.session.multiFactor === right.session.multiFactor && left.hints == right.hints
  }

  /// Verifies the code as at sign-in: it counts as an attempt, and an accepted code is used up.
  ///
  /// - Parameter assertion: an assertion from `TOTPMultiFactorGenerator.assertionForSignIn` or
  ///   `PhoneMultiFactorGenerator.assertion`.
  /// - Returns: the factor that was used, which the program can show or log.
  /// - Throws: `factorNotFound` if the assertion names a factor that is not among the hints;
  ///   `invalidVerificationCode`, `codeAlreadyUsed`, `codeNotYetAccepted`, `codeOfAnotherTime` or `notACode` if the code was wrong;
  ///   `tooManyAttempts` or `factorsLocked` after too many failed attempts; `invalidArgument` for an
  ///   assertion for an enrolment; `invalidVerificationID` and `sessionExpired` for a code of a phone
  ///   that does not belong to the last request; or any other failure that the helper reports. After a wrong code,
  ///   the same resolver can be used again.
  @discardableResult
  public func resolveSignIn(
    with assertion: consuming MultiFactorAssertion
  ) async throws(MultiFactorError) -> MultiFactorSignInResult {
    switch assertion.claim {
    case .newAuthenticator: throw .invalidArgument
    case .phone(let id):
      return try await session.multiFactor.signIn(
        verificationID: id, verificationCode: assertion.take(), hints: hints)
    case .enrolledFactor(let uid):
      guard uid == nil || hints.contains(where: { $0.uid == uid }) else { throw .factorNotFound }
      return try await session.multiFactor.signIn(
        factor: uid, oneTimePassword: assertion.take(), hints: hints)
    }
  }
}

/// How a sign-in was completed.
public enum MultiFactorSignInResult: Hashable, Sendable {
  /// A code of this factor. It is used up.
  case factor(MultiFactorInfo)
  /// A code of a factor that the host did not name, or that is no longer enrolled. It is used up.
  case unknownFactor
  /// A recovery code. It is used up.
  case recoveryCode
  /// One use of an administrator's bypass code.
  case bypassCode
  /// No second factor, because none is enrolled. `MultiFactor.status` says whether policy expects
  /// one.
  case notEnrolled
  /// No second factor, because the configuration switches second factors off.
  case switchedOff

  /// The factor whose code was used, or nil.
  public var factor: MultiFactorInfo? {
    guard case .factor(let factor) = self else { return nil }
    return factor
  }
}

/// The assertion that the user has a second factor, for one attempt: `TOTPMultiFactorGenerator` and
/// `PhoneMultiFactorGenerator` create assertions for `MultiFactor.enroll` and for `MultiFactorResolver.resolveSignIn`.
public struct MultiFactorAssertion: ~Copyable, Sendable {
  /// What is asserted.
  enum Claim: Sendable {
    /// The user's authenticator contains the secret.
    case newAuthenticator(TOTPSecret)
    /// The user has an enrolled factor: the one with this uid, or any if it is nil.
    case enrolledFactor(uid: String?)
    /// The user has the phone to which a code was sent.
    case phone(verificationID: String)
  }

  let claim: Claim
  let oneTimePassword: SecretBytes

  init(_ claim: Claim, oneTimePassword: consuming SecretBytes) {
    self.claim = claim
    self.oneTimePassword = oneTimePassword
  }

  /// Returns the code and consumes the assertion.
  consuming func take() -> SecretBytes { oneTimePassword }
}

/// The kind of code that `MultiFactor.test` verified.
public enum TestedCode: Equatable, Sendable {
  /// A code of a factor. It is used up. `uid` is that of the factor, if it is known.
  case factorCode(uid: String?)
  /// A recovery code. It was not used up.
  case recoveryCode
  /// An administrator's bypass code. It was not used up.
  case bypassCode

  init(_ code: UnusedCode) {
    switch code {
    case .recoveryCode: self = .recoveryCode
    case .bypassCode: self = .bypassCode
    }
  }
}

/// The consequences of removing a factor.
public struct Unenrollment: Equatable, Sendable {
  /// Whether the factor was the most recently enrolled one. If so, the user is signed out: the
  /// session is invalid. The host clears remembered sign-ins after any removal.
  public let signedOut: Bool
  /// Whether policy requires the user's other sessions on the host to end. The caller must end
  /// them, because the helper is not permitted to.
  public let endsSessions: Bool
}

/// A question that the host asks to verify that the user owns the account.
public struct ReauthenticationPrompt: Equatable, Sendable {
  /// What the host asks for.
  public enum Kind: String, Sendable {
    /// The password of the account.
    case password
    /// The ticket that an administrator created.
    case ticket
    /// A code of an enrolled factor, or a recovery code.
    case code
    /// Another question of the host's PAM configuration. Only the text says which.
    case answer
  }

  /// What the host asks for.
  public let kind: Kind
  /// The question. It contains no control characters other than newlines.
  public let text: String
  /// Whether the answer may be visible while it is typed.
  public let echo: Bool

  init(_ prompt: PromptKind, text: String) {
    kind =
      switch prompt {
      // The text is all that PAM says about a question. It is in English, because the helper has no locale.
      case .hiddenAnswer: text.hasPrefix("Password") ? .password : .answer
      case .visibleAnswer: .answer
      case .ticket: .ticket
      case .code: .code
      }
    self.text = text
    echo = prompt.echo
  }
}
