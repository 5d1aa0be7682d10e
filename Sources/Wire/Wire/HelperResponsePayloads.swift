import MFABase
import MFAModel

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

/// Recovery codes in the form in which they are shown, once: four groups of four letters and
/// digits, with hyphens.
///
/// They are stored in one block because an array cannot hold noncopyable values.
package struct RecoveryCodeList: ~Copyable, Sendable {
  /// The codes, each of `codeLength` bytes, with nothing between them.
  package private(set) var text: SecretBytes

  /// The length of a code in bytes.
  package static let codeLength = 19

  /// The maximum number of codes in a set.
  package static let mostCodes: UInt8 = 10

  /// Takes ownership of the codes. A malformed list cannot be sent.
  package init(text: consuming SecretBytes) { self.text = text }

  /// The number of codes.
  package var count: Int { text.count / Self.codeLength }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.secrets(&text, most: Self.mostCodes, each: Self.codeLength)
    guard isWellFormed else { throw .malformed }
  }

  /// Whether each code has its form.
  private var isWellFormed: Bool {
    let text = text.span
    for index in text.indices {
      let isHyphen = text[index] == UInt8(ascii: "-")
      guard isHyphen == (index % Self.codeLength % 5 == 4) else { return false }
      guard isHyphen || Self.isLetterOrDigit(text[index]) else { return false }
    }
    return true
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}

/// A code that a sign-in accepted and used up.
package enum UsedCode: Equatable, Sendable {
  /// A code of a factor, or of an unknown factor if it is nil.
  case factor(FactorID?)
  /// One of the user's recovery codes. `left` is the number of codes that are left.
  case recoveryCode(left: UInt8)
  /// One use of an administrator's bypass code, which can be used `usesLeft` more times.
  case bypassCode(usesLeft: UInt8)

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    var (number, factor, left): (UInt8, FactorID?, UInt8)
    switch self {
    case .factor(let id): (number, factor, left) = (1, id, 0)
    case .recoveryCode(let codes): (number, factor, left) = (2, nil, codes)
    case .bypassCode(let uses): (number, factor, left) = (3, nil, uses)
    }
    try coder.number(&number)
    try coder.identifier(&factor)
    try coder.number(&left)
    switch (number, factor, left) {
    case (1, _, 0): self = .factor(factor)
    case (2, nil, _): self = .recoveryCode(left: left)
    case (3, nil, _): self = .bypassCode(usesLeft: left)
    case _: throw .malformed
    }
  }

  /// The factor whose code was used, if it is known.
  package var factor: FactorID? {
    switch self {
    case .factor(let factor): factor
    case .recoveryCode, .bypassCode: nil
    }
  }
}

/// A code that a test recognised and did not use up. The raw value is the number in a message.
package enum UnusedCode: UInt8, Equatable, Sendable {
  /// One of the user's recovery codes.
  case recoveryCode = 1
  /// An administrator's bypass code.
  case bypassCode = 2
}

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
  /// When a code was last accepted, in seconds since the epoch, or 0 if that is unknown. Only the list of a user's own
  /// factors has it.
  package var lastUse: Int64 = 0

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
  package static var placeholder: FactorSummary {
    FactorSummary(id: .zero, displayName: .placeholder, enrolledAt: 0, kind: .totp(.standard))
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
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

/// A new password for a program.
package struct NewProgramPassword: ~Copyable, Sendable {
  /// What the list of passwords says about it.
  package private(set) var summary: ProgramPasswordSummary
  /// The password in its written form, in ASCII.
  package private(set) var text: SecretBytes

  /// Creates a value.
  package init(_ summary: ProgramPasswordSummary, text: consuming SecretBytes) {
    self.summary = summary
    self.text = text
  }

  init() { self.init(.placeholder, text: SecretBytes(count: 0)) }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try summary.fields(&coder)
    try coder.secret(&text, longest: 64)
  }
}

/// A password for a program, as the user's list shows it.
package struct ProgramPasswordSummary: Equatable, Sendable {
  /// The id of its grant.
  package private(set) var id: GrantID
  /// The user's name for the program.
  package private(set) var name: DisplayName
  /// When it was made, in seconds since the epoch.
  package private(set) var madeAt: Int64
  /// The first second in which it is no longer valid, in seconds since the epoch.
  package private(set) var expiresAt: Int64
  /// Where it is valid; nil in a placeholder.
  package private(set) var scope: ProgramScope?

  static var placeholder: ProgramPasswordSummary {
    ProgramPasswordSummary(id: .zero, name: .placeholder, madeAt: 0, expiresAt: 0, scope: nil)
  }

  private init(
    id: GrantID, name: DisplayName, madeAt: Int64, expiresAt: Int64, scope: ProgramScope?
  ) {
    self.id = id
    self.name = name
    self.madeAt = madeAt
    self.expiresAt = expiresAt
    self.scope = scope
  }

  /// Creates the summary of a grant. Returns nil if it is of another kind.
  package init?(_ grant: Grant) {
    guard let scope = grant.scope, let name = DisplayName(grant.reason?.utf8 ?? []) else {
      return nil
    }
    self.init(
      id: grant.id, name: name, madeAt: grant.madeAt, expiresAt: grant.expiresAt, scope: scope)
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.identifier(&id)
    try coder.name(&name)
    try coder.number(&madeAt)
    try coder.number(&expiresAt)
    try coder.scope(&scope)
  }
}
