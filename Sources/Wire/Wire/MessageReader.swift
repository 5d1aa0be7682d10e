import MFABase
import MFAModel

/// A parser for one message's body that never reads past the end.
struct MessageReader: ~Escapable {
  private let body: Span<UInt8>
  private var position = 0

  @_lifetime(copy body)
  init(_ body: Span<UInt8>) { self.body = body }

  /// Reads the kind.
  @_lifetime(self: copy self)
  mutating func kind() throws(MessageError) -> UInt8 {
    guard position < body.count else { throw .malformed }
    position += 1
    return body[position - 1]
  }

  /// Checks that nothing follows the last field.
  func end() throws(MessageError) {
    guard position == body.count else { throw .malformed }
  }

  /// Reads a field that contains a secret or user input.
  @_lifetime(self: copy self)
  mutating func secret(longest: Int) throws(MessageError) -> SecretBytes {
    SecretBytes(copying: body, in: try range(longest: longest))
  }

  /// Reads a field of bytes.
  @_lifetime(self: copy self)
  mutating func bytes(longest: Int) throws(MessageError) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in try range(longest: longest) { bytes.append(body[index]) }
    return bytes
  }

  /// Reads a field that contains a user's name.
  @_lifetime(self: copy self)
  mutating func userName() throws(MessageError) -> UserName {
    guard let user = UserName(try bytes(longest: UserName.maximumLength)) else { throw .malformed }
    return user
  }

  /// Reads a field that contains a number of the type's own width.
  @_lifetime(self: copy self)
  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type
  ) throws(MessageError) -> Number {
    let range = try range(longest: Number.bitWidth / 8)
    guard range.count == Number.bitWidth / 8 else { throw .malformed }
    var number: Number = 0
    for index in range { number = number << 8 | Number(truncatingIfNeeded: body[index]) }
    return number
  }

  /// Reads a field that contains 0 or 1.
  @_lifetime(self: copy self)
  mutating func flag() throws(MessageError) -> Bool {
    let number = try number(UInt8.self)
    guard number <= 1 else { throw .malformed }
    return number == 1
  }

  /// Reads three fields: hash function, number of digits, period.
  @_lifetime(self: copy self)
  mutating func parameters() throws(MessageError) -> TOTPParameters {
    guard let algorithm = HashAlgorithm(rawValue: try number(UInt8.self)),
      let codeLength = CodeLength(rawValue: try number(UInt8.self)),
      let parameters = TOTPParameters(
        algorithm: algorithm, codeLength: codeLength, period: try number(UInt16.self))
    else { throw .malformed }
    return parameters
  }

  /// Reads a factor's id.
  @_lifetime(self: copy self)
  mutating func factor() throws(MessageError) -> FactorID {
    guard let factor = FactorID(bytes: try bytes(longest: FactorID.length)) else {
      throw .malformed
    }
    return factor
  }

  /// Reads a factor's id. Returns nil if the field is empty.
  @_lifetime(self: copy self)
  mutating func optionalFactor() throws(MessageError) -> FactorID? {
    let bytes = try bytes(longest: FactorID.length)
    guard !bytes.isEmpty else { return nil }
    guard let factor = FactorID(bytes: bytes) else { throw .malformed }
    return factor
  }

  /// Reads a count of one byte and that many fields, each a secret of `length` bytes. Returns the
  /// secrets concatenated.
  @_lifetime(self: copy self)
  mutating func secrets(
    atMost most: Int, each length: Int
  ) throws(MessageError) -> SecretBytes {
    let count = Int(try number(UInt8.self))
    guard count <= most else { throw .tooLong }
    var secrets = SecretBytes(count: count * length)
    for number in 0..<count {
      let secret = try secret(longest: length)
      guard secret.count == length else { throw .malformed }
      secrets.withMutableSpan { secrets in
        for index in 0..<length { secrets[number * length + index] = secret.span[index] }
      }
    }
    return secrets
  }

  /// Reads twelve fields: enrolment, state, recovery codes, imported ones, whether one unlocks,
  /// standing, seconds, and those of the activity: standing, seconds, failed attempts, remembered
  /// sign-ins, notices.
  @_lifetime(self: copy self)
  mutating func status() throws(MessageError) -> AccountStatus {
    guard let enrollment = AccountStatus.Enrollment(rawValue: try number(UInt8.self)),
      let state = AccountStatus.State(rawValue: try number(UInt8.self))
    else { throw .malformed }
    let codes = try number(UInt8.self)
    let imported = try number(UInt8.self)
    guard imported <= codes else { throw .malformed }
    let unlocks = try flag()
    let standing = try standing()
    let activity = AccountStatus.Activity(
      standing: try self.standing(), failedAttempts: try number(UInt32.self),
      rememberedSignIns: try number(UInt8.self), pendingNotices: try number(UInt8.self))
    return AccountStatus(
      enrollment: enrollment, state: state, recoveryCodesLeft: codes,
      importedRecoveryCodesLeft: imported, recoveryCodeUnlocks: unlocks, standing: standing,
      activity: activity)
  }

  /// Reads two fields: standing and seconds.
  @_lifetime(self: copy self)
  private mutating func standing() throws(MessageError) -> AccountStatus.Standing {
    guard
      let standing = AccountStatus.Standing(
        number: try number(UInt8.self), seconds: try number(UInt32.self))
    else { throw .malformed }
    return standing
  }

  /// Reads a phone number as it is shown.
  @_lifetime(self: copy self)
  mutating func maskedNumber() throws(MessageError) -> MaskedPhoneNumber {
    guard
      let number = MaskedPhoneNumber(ascii: try bytes(longest: MaskedPhoneNumber.maximumLength))
    else { throw .malformed }
    return number
  }

  /// Reads a factor's name. Returns nil if a factor cannot have this name.
  @_lifetime(self: copy self)
  mutating func displayName() throws(MessageError) -> DisplayName? {
    let bytes = try bytes(longest: DisplayName.maximumBytes)
    do throws(DisplayName.Refusal) {
      let name = try DisplayName(bytes)
      return name.utf8 == bytes ? name : nil
    } catch {
      return nil
    }
  }

  /// Reads a text for display.
  @_lifetime(self: copy self)
  mutating func text() throws(MessageError) -> DisplayText {
    let bytes = try bytes(longest: DisplayText.longest)
    let text = DisplayText(cleaning: bytes)
    guard text.utf8 == bytes else { throw .malformed }
    return text
  }

  /// Reads a field and returns the position of its bytes.
  @_lifetime(self: copy self)
  private mutating func range(longest: Int) throws(MessageError) -> Range<Int> {
    guard body.count - position >= 2 else { throw .malformed }
    let count = Int(body[position]) << 8 | Int(body[position + 1])
    guard count <= longest else { throw .tooLong }
    guard count <= body.count - position - 2 else { throw .malformed }
    let start = position + 2
    position = start + count
    return start..<position
  }
}
