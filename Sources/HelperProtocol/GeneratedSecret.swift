public import OneTimePassword
public import Secrets

/// A secret that the helper made, and enrols when a code shows that an authenticator has it.
public struct GeneratedSecret: ~Copyable, Sendable {
  /// The key, `shortestKey` to `longestKey` bytes.
  public let key: SecretBytes
  /// How codes are made from it.
  public let parameters: TOTPParameters
  /// How many seconds the helper waits for a code.
  public let secondsLeft: UInt32

  /// Puts a secret together.
  public init(key: consuming SecretBytes, parameters: TOTPParameters, secondsLeft: UInt32) {
    self.key = key
    self.parameters = parameters
    self.secondsLeft = secondsLeft
  }

  /// The shortest key in bytes (RFC 4226, section 4, R6).
  public static let shortestKey = 16

  /// The longest key in bytes: SHA-512's output.
  public static let longestKey = 64
}
