public import MFABase
import MFAWire

/// New recovery codes, to be shown once and stored apart from the authenticator.
///
/// Each code signs the user in once, in place of a code from an authenticator. The host keeps no
/// copy that could be shown again.
public struct RecoveryCodes: ~Copyable, Sendable {
  private let list: RecoveryCodeList

  init(_ list: consuming RecoveryCodeList) { self.list = list }

  /// The number of codes: at most 10.
  public var count: Int { list.count }

  /// Calls `body` with each code, in ASCII as it is typed: four groups of four letters and digits,
  /// with hyphens.
  public func forEach<Failure: Error>(
    _ body: (borrowing SecretBytes) throws(Failure) -> Void
  ) throws(Failure) {
    for number in 0..<count { try body(Self.code(number, of: list)) }
  }

  private static func code(_ number: Int, of list: borrowing RecoveryCodeList) -> SecretBytes {
    let start = number * RecoveryCodeList.codeLength
    return SecretBytes(copying: list.text.span, in: start..<start + RecoveryCodeList.codeLength)
  }
}
