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

/// A factor that another program created, to be imported with `MultiFactor.importFactor`.
public struct ImportedFactor: ~Copyable, Sendable {
  let key: SecretBytes
  let hashingAlgorithm: HashAlgorithm
  let codeLength: Int
  let codeIntervalSeconds: Int
  let timeOffset: Int
  let latestTimeStep: Int64?
  let recoveryCodes: SecretBytes

  /// Creates a factor from the other program's data.
  ///
  /// - Parameters:
  ///   - key: the raw key, 10 to 64 bytes. The host may require more than 10.
  ///   - hashingAlgorithm: the hash function.
  ///   - codeLength: the number of digits of a code: 6 to 8.
  ///   - codeIntervalSeconds: how long each code is shown: 15 to 120.
  ///   - timeOffset: how far the authenticator's clock is ahead of the host's, in time steps.
  ///   - latestTimeStep: the latest time step whose code was used, so that no used code is accepted
  ///     again; nil for the current one.
  ///   - recoveryCodes: up to ten unused recovery codes, each of 8 digits in ASCII, concatenated.
  public init(
    key: consuming SecretBytes, hashingAlgorithm: HashAlgorithm = .sha1, codeLength: Int = 6,
    codeIntervalSeconds: Int = 30, timeOffset: Int = 0, latestTimeStep: Int64? = nil,
    recoveryCodes: consuming SecretBytes = SecretBytes(count: 0)
  ) {
    self.key = key
    self.hashingAlgorithm = hashingAlgorithm
    self.codeLength = codeLength
    self.codeIntervalSeconds = codeIntervalSeconds
    self.timeOffset = timeOffset
    self.latestTimeStep = latestTimeStep
    self.recoveryCodes = recoveryCodes
  }
}
