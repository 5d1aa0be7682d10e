public import Secrets

/// A factor that another program made, to be taken over with `MultiFactor.importFactor`.
public struct ImportedFactor: ~Copyable, Sendable {
  let key: SecretBytes
  let hashingAlgorithm: HashAlgorithm
  let codeLength: Int
  let codeIntervalSeconds: Int
  let timeOffset: Int
  let latestTimeStep: Int64?
  let recoveryCodes: SecretBytes

  /// Puts together what the other program knew.
  ///
  /// - Parameters:
  ///   - key: the key itself, 10 to 64 bytes. The host may ask for more than 10.
  ///   - hashingAlgorithm: the hash function.
  ///   - codeLength: the number of digits of a code: 6 to 8.
  ///   - codeIntervalSeconds: how long each code is shown: 15 to 120.
  ///   - timeOffset: how far the authenticator's clock is ahead of the host's, in time steps.
  ///   - latestTimeStep: the latest time step whose code was used, so that none is accepted again;
  ///     nil for the present one.
  ///   - recoveryCodes: up to ten that were not used, each of 8 digits in ASCII, one behind the
  ///     other.
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
