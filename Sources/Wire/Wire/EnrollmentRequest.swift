import MFAModel
import MFABase

/// The data that a client sends to enrol a new factor.
///
/// It is a separate type because Swift 6.3 cannot borrow one of several values from a noncopyable
/// case.
package struct EnrollmentRequest: ~Copyable, Sendable {
  /// The code as typed.
  package let code: SecretBytes
  /// The name that the user chose for the factor.
  package let displayName: DisplayName

  /// Creates a request.
  package init(code: consuming SecretBytes, displayName: DisplayName) {
    self.code = code
    self.displayName = displayName
  }
}
