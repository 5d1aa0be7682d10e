import MFAModel
import MFABase

/// A secret that the helper generated. The helper enrols it when a code proves that an
/// authenticator has it.
package struct GeneratedSecret: ~Copyable, Sendable {
  /// The key, `shortestKey` to `longestKey` bytes.
  package let key: SecretBytes
  /// The parameters of its codes.
  package let parameters: TOTPParameters
  /// How many seconds the helper waits for a code.
  package let secondsLeft: UInt32

  /// Creates a secret.
  package init(key: consuming SecretBytes, parameters: TOTPParameters, secondsLeft: UInt32) {
    self.key = key
    self.parameters = parameters
    self.secondsLeft = secondsLeft
  }

  /// The shortest key in bytes (RFC 4226, section 4, R6).
  package static let shortestKey = 16

  /// The longest key in bytes: SHA-512's output.
  package static let longestKey = 64
}
