public import OneTimePassword
import Secrets

/// What of an answer may be a code: one reading for each number of digits at most, so that a factor
/// is compared with one code and an answer is one guess; or else a recovery code.
public struct TypedCodes: Sendable {
  private let six: Code?
  private let seven: Code?
  private let eight: Code?

  /// The answer as a recovery code made here.
  public let recoveryCode: RecoveryCode?

  /// The whole answer as a code, spaces allowed.
  public init(whole answer: Span<UInt8>) {
    let code = Code(answer: answer)
    six = code?.length == .six ? code : nil
    seven = code?.length == .seven ? code : nil
    eight = code?.length == .eight ? code : nil
    // Eight digits and sixteen: nothing is both.
    recoveryCode = code == nil ? RecoveryCode(answer: answer) : nil
  }

  /// The last six, seven and eight characters of an answer that begins with a password.
  public init(endOf answer: Span<UInt8>) {
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

  /// The code to compare with a factor whose codes have `length` digits, or nil.
  public func code(of length: CodeLength) -> Code? {
    switch length {
    case .six: six
    case .seven: seven
    case .eight: eight
    }
  }

  /// Some reading: what a factor of another length is compared with, for the time it takes.
  public var any: Code? { six ?? seven ?? eight }
}
