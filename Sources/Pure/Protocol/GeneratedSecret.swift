public import MFAOneTimePassword
public import MFASecrets

/// A secret that the helper generated. The helper enrols it when a code proves that an
/// authenticator has it.
public struct GeneratedSecret: ~Copyable, Sendable {
  /// The key, `shortestKey` to `longestKey` bytes.
  public let key: SecretBytes
  /// The parameters of its codes.
  public let parameters: TOTPParameters
  /// How many seconds the helper waits for a code.
  public let secondsLeft: UInt32

  /// Creates a secret.
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
