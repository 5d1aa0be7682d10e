import MFAModel
import MFABase

/// A secret that the helper generated. The helper enrols it when a code proves that an
/// authenticator has it.
package struct GeneratedSecret: ~Copyable, Sendable {
  /// The key, `shortestKey` to `longestKey` bytes.
  package private(set) var key: SecretBytes
  /// The parameters of its codes.
  package private(set) var parameters: TOTPParameters
  /// How many seconds the helper waits for a code.
  package private(set) var secondsLeft: UInt32

  /// Creates a secret.
  package init(key: consuming SecretBytes, parameters: TOTPParameters, secondsLeft: UInt32) {
    self.key = key
    self.parameters = parameters
    self.secondsLeft = secondsLeft
  }

  init() { self.init(key: SecretBytes(count: 0), parameters: .standard, secondsLeft: 0) }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.secret(&key, longest: Self.longestKey)
    guard key.count >= Self.shortestKey else { throw .malformed }
    try coder.parameters(&parameters)
    try coder.number(&secondsLeft)
  }

  /// The shortest key in bytes (RFC 4226, section 4, R6).
  package static let shortestKey = 16

  /// The longest key in bytes: SHA-512's output.
  package static let longestKey = 64
}
