public import Factors
public import Secrets

/// What a client has to show for a new factor.
///
/// It is a type of its own because Swift 6.3 cannot borrow one of several values out of a
/// noncopyable case.
public struct EnrollmentRequest: ~Copyable, Sendable {
  /// The code as it was typed.
  public let code: SecretBytes
  /// What the person wants to call the factor.
  public let displayName: DisplayName

  /// Puts a request together.
  public init(code: consuming SecretBytes, displayName: DisplayName) {
    self.code = code
    self.displayName = displayName
  }
}
