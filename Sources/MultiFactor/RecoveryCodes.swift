import HelperProtocol
public import Secrets

/// New recovery codes, to be shown once and kept where the authenticator is not.
///
/// Each signs in once in place of a code from an authenticator. The host keeps no copy that could
/// be shown again.
public struct RecoveryCodes: ~Copyable, Sendable {
  private let list: RecoveryCodeList

  init(_ list: consuming RecoveryCodeList) { self.list = list }

  /// How many there are: at most 10.
  public var count: Int { list.count }

  /// Lends each code, in ASCII as it is typed: four groups of four letters and digits.
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
