import MFABase
import MFAModel

// What requests of the helper's client contain. They are separate types because Swift 6.3 cannot borrow one of several
// values from a noncopyable case.

/// The data that a client sends to enrol a new factor.
package struct EnrollmentRequest: ~Copyable, Sendable {
  /// The code as typed.
  package private(set) var code: SecretBytes
  /// The name that the user chose for the factor.
  package private(set) var displayName: DisplayName

  /// Creates a request.
  package init(code: consuming SecretBytes, displayName: DisplayName) {
    self.code = code
    self.displayName = displayName
  }

  init() { self.init(code: SecretBytes(count: 0), displayName: .placeholder) }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.secret(&code, longest: HelperRequest.longestAnswer)
    try coder.name(&displayName)
  }
}

/// The first of the two codes from which the helper determines how far a factor's clock is off.
package struct ResyncRequest: ~Copyable, Sendable {
  /// The factor.
  package private(set) var factor: FactorID
  /// The code as typed.
  package private(set) var code: SecretBytes

  /// Creates a request.
  package init(factor: FactorID, code: consuming SecretBytes) {
    self.factor = factor
    self.code = code
  }

  init() { self.init(factor: .zero, code: SecretBytes(count: 0)) }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.identifier(&factor)
    try coder.secret(&code, longest: HelperRequest.longestAnswer)
  }
}

/// A code and, optionally, the factor that it belongs to.
package struct CodeRequest: ~Copyable, Sendable {
  /// The only factor whose codes are accepted, or nil to accept the codes of every factor.
  package private(set) var factor: FactorID?
  /// The code as typed.
  package private(set) var code: SecretBytes

  /// Creates a request.
  package init(factor: FactorID?, code: consuming SecretBytes) {
    self.factor = factor
    self.code = code
  }

  init() { self.init(factor: nil, code: SecretBytes(count: 0)) }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.identifier(&factor)
    try coder.secret(&code, longest: HelperRequest.longestAnswer)
  }
}

/// A factor that another program created, with what that program recorded about its use.
package struct ImportRequest: ~Copyable, Sendable {
  /// The name that the user gave the factor.
  package private(set) var displayName: DisplayName
  /// The parameters of its codes.
  package private(set) var parameters: TOTPParameters
  /// The key, `shortestKey` to `longestKey` bytes.
  package private(set) var key: SecretBytes
  /// How far the authenticator's clock is ahead of this host's, in time steps.
  package private(set) var timeOffset: Int32
  /// The latest time step whose code was used, or `Int64.min` for the current one.
  package private(set) var watermark: Int64
  /// Unused recovery codes: up to `mostRecoveryCodes`, each of `recoveryCodeLength` digits,
  /// concatenated.
  package private(set) var recoveryCodes: SecretBytes

  /// The shortest key in bytes: 80 bits, which other programs generate.
  package static let shortestKey = 10
  /// The longest key in bytes: SHA-512's output.
  package static let longestKey = 64
  /// The length of a recovery code in digits.
  package static let recoveryCodeLength = 8
  /// The maximum number of recovery codes.
  package static let mostRecoveryCodes: UInt8 = 10

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

  init() {
    self.init(
      displayName: .placeholder, parameters: .standard, key: SecretBytes(count: 0), timeOffset: 0,
      watermark: 0, recoveryCodes: SecretBytes(count: 0))
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.name(&displayName)
    try coder.parameters(&parameters)
    try coder.secret(&key, longest: Self.longestKey)
    guard key.count >= Self.shortestKey else { throw .malformed }
    try coder.number(&timeOffset)
    try coder.number(&watermark)
    try coder.secrets(
      &recoveryCodes, most: Self.mostRecoveryCodes, each: Self.recoveryCodeLength)
    let digits = recoveryCodes.span
    for index in digits.indices {
      guard digits[index] >= UInt8(ascii: "0"), digits[index] <= UInt8(ascii: "9") else {
        throw .malformed
      }
    }
  }
}

/// What a new password for a program is to be.
package struct ProgramPasswordRequest: Equatable, Sendable {
  /// The user's name for the program.
  package private(set) var name: DisplayName
  /// The PAM services, with spaces between them; empty for all in which policy accepts such passwords.
  package private(set) var services: [UInt8]
  /// The networks that the user signs in from, with spaces between them; empty for every address.
  package private(set) var networks: [UInt8]
  /// How long the password is valid, in seconds: one of `durations`.
  package private(set) var seconds: UInt32

  /// The valid durations, in seconds: one day to two years.
  package static var durations: ClosedRange<UInt32> { 86_400...63_072_000 }

  /// Creates a request.
  package init(name: DisplayName, services: [UInt8], networks: [UInt8], seconds: UInt32) {
    self.name = name
    self.services = services
    self.networks = networks
    self.seconds = seconds
  }

  init() { self.init(name: .placeholder, services: [], networks: [], seconds: 0) }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.name(&name)
    try coder.bytes(&services, longest: ProgramScope.longestText)
    try coder.bytes(&networks, longest: ProgramScope.longestText)
    try coder.number(&seconds)
  }
}
