public import MFABase
import Synchronization

// The functions with completion handlers, as programs written for Identity Platform before Swift had async
// functions call them. Each calls the async function with the same parameters, and then its handler: once, on
// a thread of Swift's concurrency runtime. Either the result or the error is nil.

extension MultiFactor {
  /// Begins a session, as `session()` does.
  public nonisolated func getSessionWithCompletion(
    _ completion: (@Sendable (MultiFactorSession?, MultiFactorError?) -> Void)?
  ) {
    pass({ () throws(MultiFactorError) in try await self.session() }, to: completion)
  }

  /// Enrols a factor, as `enroll(with:displayName:)` does.
  public nonisolated func enroll(
    with assertion: consuming MultiFactorAssertion, displayName: String?,
    completion: (@Sendable (MultiFactorError?) -> Void)?
  ) {
    let handed = Handover(assertion)
    pass(
      { () throws(MultiFactorError) in
        try await self.enroll(with: handed.take(), displayName: displayName)
      }, to: { completion?($1) })
  }

  /// Removes a factor, as `unenroll(with:)` does. The handler gets `userTokenExpired` if the factor was removed
  /// and the user is signed out, as in Identity Platform.
  public nonisolated func unenroll(
    with factor: MultiFactorInfo, completion: (@Sendable (MultiFactorError?) -> Void)?
  ) {
    unenroll(withFactorUID: factor.uid, completion: completion)
  }

  /// Removes the factor with this `uid`, as `unenroll(with:completion:)` does.
  public nonisolated func unenroll(
    withFactorUID uid: String, completion: (@Sendable (MultiFactorError?) -> Void)?
  ) {
    pass(
      { () throws(MultiFactorError) in
        guard try await !self.unenroll(withFactorUID: uid).signedOut else {
          throw .userTokenExpired
        }
      }, to: { completion?($1) })
  }

  /// Begins a sign-in, as `signIn()` does.
  public nonisolated func signIn(
    completion: (@Sendable (MultiFactorSignInResult?, MultiFactorError?) -> Void)?
  ) {
    pass({ () throws(MultiFactorError) in try await self.signIn() }, to: completion)
  }
}

extension MultiFactorResolver {
  /// Verifies a code, as `resolveSignIn(with:)` does.
  public func resolveSignIn(
    with assertion: consuming MultiFactorAssertion,
    completion: (@Sendable (MultiFactorSignInResult?, MultiFactorError?) -> Void)?
  ) {
    let handed = Handover(assertion)
    pass(
      { () throws(MultiFactorError) in try await resolveSignIn(with: handed.take()) },
      to: completion)
  }
}

extension TOTPMultiFactorGenerator {
  /// Requests a new secret, as the async function does.
  public static func generateSecret(
    with session: MultiFactorSession,
    completion: @escaping @Sendable (TOTPSecret?, MultiFactorError?) -> Void
  ) {
    pass({ () throws(MultiFactorError) in try await generateSecret(with: session) }, to: completion)
  }
}

extension TOTPSecret {
  /// Gives the URL of a secret to the authenticator app of this desktop, as `openInOTPApp(withQRCodeURL:)` does.
  /// A program that passes no handler is not told whether an app got the URL.
  public func openInOTPAppWithQRCodeURL(
    _ url: borrowing SecretBytes, completion: (@Sendable (MultiFactorError?) -> Void)? = nil
  ) {
    let handed = Handover(url.prefix(.max))
    pass(
      { () throws(MultiFactorError) in try await self.openInOTPApp(withQRCodeURL: handed.take()) },
      to: { completion?($1) })
  }

  /// Gives the URL to the app, as the other function does. See `SecretBytes.init(_:)` for what a string leaves in
  /// memory.
  public func openInOTPAppWithQRCodeURL(
    _ url: String, completion: (@Sendable (MultiFactorError?) -> Void)? = nil
  ) {
    openInOTPAppWithQRCodeURL(SecretBytes(url), completion: completion)
  }
}

extension PhoneAuthProvider {
  /// Sends a code to a phone number that the user wants to enrol, as the async function does. Without a session,
  /// the handler gets `sessionExpired`.
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: AuthUIDelegate? = nil,
    multiFactorSession: MultiFactorSession?,
    completion: (@Sendable (String?, MultiFactorError?) -> Void)?
  ) {
    pass(
      { () throws(MultiFactorError) in
        guard let multiFactorSession else { throw .sessionExpired }
        return try await verifyPhoneNumber(phoneNumber, multiFactorSession: multiFactorSession)
      }, to: completion)
  }

  /// Sends a code to an enrolled phone, as the async function does. Without a session, the handler gets
  /// `sessionExpired`.
  public func verifyPhoneNumber(
    with hint: PhoneMultiFactorInfo, uiDelegate: AuthUIDelegate? = nil,
    multiFactorSession: MultiFactorSession?,
    completion: (@Sendable (String?, MultiFactorError?) -> Void)?
  ) {
    pass(
      { () throws(MultiFactorError) in
        guard let multiFactorSession else { throw .sessionExpired }
        return try await verifyPhoneNumber(with: hint, multiFactorSession: multiFactorSession)
      }, to: completion)
  }
}

/// Carries out an operation in a task, and passes its result or its error to a handler.
private func pass<Value: Sendable>(
  _ operation: @escaping @Sendable () async throws(MultiFactorError) -> Value,
  to completion: (@Sendable (Value?, MultiFactorError?) -> Void)?
) {
  Task {
    do throws(MultiFactorError) {
      completion?(try await operation(), nil)
    } catch {
      completion?(nil, error)
    }
  }
}

/// A value that a task takes once. A closure could not consume it.
private final class Handover<Value: ~Copyable & Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: consuming Value) { self.value = Mutex(value) }

  /// Returns the value.
  ///
  /// - Throws: `invalidArgument` the second time.
  func take() throws(MultiFactorError) -> Value {
    guard let taken = value.withLock({ $0.take() }) else { throw .invalidArgument }
    return taken
  }
}
