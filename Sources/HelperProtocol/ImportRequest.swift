public import Factors
public import OneTimePassword
public import Secrets

/// A factor that another program made, with what it knows of its use.
public struct ImportRequest: ~Copyable, Sendable {
  /// What the person calls it.
  public let displayName: DisplayName
  /// How its codes are made.
  public let parameters: TOTPParameters
  /// The key, `shortestKey` to `longestKey` bytes.
  public let key: SecretBytes
  /// How far the authenticator's clock is ahead of this host's, in time steps.
  public let timeOffset: Int32
  /// The latest time step whose code was used, or `Int64.min` for the present one.
  public let watermark: Int64
  /// Recovery codes that were not used: up to `mostRecoveryCodes`, each of `recoveryCodeLength`
  /// digits, one behind the other.
  public let recoveryCodes: SecretBytes

  /// The shortest key in bytes: 80 bits, as other programs make them.
  public static let shortestKey = 10
  /// The longest key in bytes: SHA-512's output.
  public static let longestKey = 64
  /// The length of a recovery code in digits.
  public static let recoveryCodeLength = 8
  /// The most recovery codes.
  public static let mostRecoveryCodes = 10

  /// Puts a request together. What is not well formed cannot be sent.
  public init(
    displayName: DisplayName, parameters: TOTPParameters, key: consuming SecretBytes,
    timeOffset: Int32, watermark: Int64, recoveryCodes: consuming SecretBytes
  ) {
    self.displayName = displayName
    self.parameters = parameters
    self.key = key
    self.timeOffset = timeOffset
    self.watermark = watermark
    self.recoveryCodes = recoveryCodes
  }

  /// How many recovery codes there are.
  public var recoveryCodeCount: Int { recoveryCodes.count / Self.recoveryCodeLength }

  /// Whether it can be sent, and if not, why not.
  func check() throws(MessageRefusal) {
    guard key.count <= Self.longestKey, recoveryCodeCount <= Self.mostRecoveryCodes else {
      throw .tooLong
    }
    guard key.count >= Self.shortestKey, recoveryCodes.count % Self.recoveryCodeLength == 0 else {
      throw .malformed
    }
    let digits = recoveryCodes.span
    for index in digits.indices {
      guard digits[index] >= UInt8(ascii: "0"), digits[index] <= UInt8(ascii: "9") else {
        throw .malformed
      }
    }
  }
}
