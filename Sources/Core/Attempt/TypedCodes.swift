import MFAModel
import MFABase

/// The codes that the input may be: at most one code for each number of digits, or a recovery code.
/// Each factor is compared with one code, so the input is one attempt.
///
/// This is a class, because a recovery code is not copyable.
package final class TypedCodes: Sendable {
  private let six: Code?
  private let seven: Code?
  private let eight: Code?

  /// The input as a recovery code or bypass code.
  private let recoveryCode: RecoveryCode?

  /// Whether the input may be a recovery code or bypass code.
  package var hasRecoveryCode: Bool {
    switch recoveryCode {
    case .some: true
    case .none: false
    }
  }

  /// Calls `body` with the input as a recovery code or bypass code. Returns nil if the input cannot
  /// be one.
  package func withRecoveryCode<Result: ~Copyable, Failure: Error>(
    _ body: (borrowing RecoveryCode) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    switch recoveryCode {
    case .some(let code): try body(code)
    case .none: nil
    }
  }

  /// Reads the whole input as a code. Spaces are allowed.
  package init(whole answer: Span<UInt8>) {
    let code = Code(answer: answer)
    six = code?.length == .six ? code : nil
    seven = code?.length == .seven ? code : nil
    eight = code?.length == .eight ? code : nil
    // A code has at most eight digits and a recovery code has sixteen letters and digits, so the
    // input cannot be both.
    recoveryCode = code == nil ? RecoveryCode(answer: answer) : nil
  }

  /// Reads the last six, seven and eight characters, and a recovery code at the end, of input that
  /// begins with a password.
  package init(endOf answer: Span<UInt8>) {
    six = Self.end(of: answer, .six)
    seven = Self.end(of: answer, .seven)
    eight = Self.end(of: answer, .eight)
    let end = SecretBytes(
      copying: answer,
      in: max(answer.count - RecoveryCode.writtenLength, 0)..<answer.count)
    recoveryCode = RecoveryCode(written: end.span)
  }

  private static func end(of answer: Span<UInt8>, _ length: CodeLength) -> Code? {
    let count = Int(length.rawValue)
    guard answer.count >= count else { return nil }
    let end = SecretBytes(copying: answer, in: answer.count - count..<answer.count)
    guard let code = Code(answer: end.span), code.length == length else { return nil }
    return code
  }

  /// Returns the code to compare with a factor whose codes have `length` digits, or nil.
  package func code(of length: CodeLength) -> Code? {
    switch length {
    case .six: six
    case .seven: seven
    case .eight: eight
    }
  }

  /// Any of the codes. A factor whose codes have a different length is compared with this code, so
  /// that the comparison takes the same time.
  package var any: Code? { six ?? seven ?? eight }
}
