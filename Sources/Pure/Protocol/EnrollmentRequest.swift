public import MFAFactors
public import MFASecrets

/// The data that a client sends to enrol a new factor.
///
/// It is a separate type because Swift 6.3 cannot borrow one of several values from a noncopyable
/// case.
public struct EnrollmentRequest: ~Copyable, Sendable {
  /// The code as typed.
  public let code: SecretBytes
  /// The name that the user chose for the factor.
  public let displayName: DisplayName

  /// Creates a request.
  public init(code: consuming SecretBytes, displayName: DisplayName) {
    self.code = code
    self.displayName = displayName
  }
}
