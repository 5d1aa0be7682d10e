import MFAModel
import MFABase

/// A factor that another program created, with what that program recorded about its use.
package struct ImportRequest: ~Copyable, Sendable {
  /// The name that the user gave the factor.
  package let displayName: DisplayName
  /// The parameters of its codes.
  package let parameters: TOTPParameters
  /// The key, `shortestKey` to `longestKey` bytes.
  package let key: SecretBytes
  /// How far the authenticator's clock is ahead of this host's, in time steps.
  package let timeOffset: Int32
  /// The latest time step whose code was used, or `Int64.min` for the current one.
  package let watermark: Int64
  /// Unused recovery codes: up to `mostRecoveryCodes`, each of `recoveryCodeLength` digits,
  /// concatenated.
  package let recoveryCodes: SecretBytes

  /// The shortest key in bytes: 80 bits, which other programs generate.
  package static let shortestKey = 10
  /// The longest key in bytes: SHA-512's output.
  package static let longestKey = 64
  /// The length of a recovery code in digits.
  package static let recoveryCodeLength = 8
  /// The maximum number of recovery codes.
  package static let mostRecoveryCodes = 10

  /// Creates a request. A malformed request cannot be sent.
  package init(
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

  /// The number of recovery codes.
  package var recoveryCodeCount: Int { recoveryCodes.count / Self.recoveryCodeLength }

  /// Throws if the request cannot be sent.
  func check() throws(MessageError) {
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
