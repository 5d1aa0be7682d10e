import MFAModel

/// The data of a factor that its user may see: everything but the secret.
package struct FactorSummary: Equatable, Sendable {
  /// The factor's permanent id.
  package private(set) var id: FactorID
  /// The name that the user gave the factor.
  package private(set) var displayName: DisplayName
  /// The time of enrolment, in seconds since the epoch.
  package private(set) var enrolledAt: Int64
  /// The type of factor.
  package private(set) var kind: Kind

  /// The type of factor, with what its user may see.
  package enum Kind: Equatable, Sendable {
    /// An authenticator app, with the parameters of its codes.
    case totp(TOTPParameters)
    /// A phone, with its masked number and the time from which codes can be sent to it, in seconds
    /// since the epoch.
    case phone(MaskedPhoneNumber, usableFrom: Int64)
  }

  /// Creates a summary.
  package init(id: FactorID, displayName: DisplayName, enrolledAt: Int64, kind: Kind) {
    self.id = id
    self.displayName = displayName
    self.enrolledAt = enrolledAt
    self.kind = kind
  }

  /// Creates a summary of a stored factor.
  package init(_ factor: Factor) {
    let kind: Kind =
      switch factor.kind {
      case .totp(let parameters, _): .totp(parameters)
      case .phone(let number, let time, _): .phone(number, usableFrom: time)
      }
    self.init(
      id: factor.id, displayName: factor.displayName, enrolledAt: factor.enrolledAt, kind: kind)
  }

  /// A summary whose fields are read next.
  static var placeholder: FactorSummary {
    FactorSummary(id: .zero, displayName: .placeholder, enrolledAt: 0, kind: .totp(.standard))
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.identifier(&id)
    try coder.name(&displayName)
    try coder.number(&enrolledAt)
    var (number, parameters): (UInt8, TOTPParameters) = (1, .standard)
    var phone = MaskedPhoneNumber.placeholder
    var usableFrom: Int64 = 0
    switch kind {
    case .totp(let present): parameters = present
    case .phone(let present, let time): (number, phone, usableFrom) = (2, present, time)
    }
    try coder.number(&number)
    switch number {
    case 1:
      try coder.parameters(&parameters)
      kind = .totp(parameters)
    case 2:
      try coder.phone(&phone)
      try coder.number(&usableFrom)
      kind = .phone(phone, usableFrom: usableFrom)
    case _: throw .malformed
    }
  }

  /// The number of digits of the factor's codes.
  package var codeLength: CodeLength {
    switch kind {
    case .totp(let parameters): parameters.codeLength
    case .phone: .six
    }
  }
}
