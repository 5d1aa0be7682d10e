import Factors
import OneTimePassword
import Secrets

/// Takes one message's body apart, never past its end.
struct MessageReader: ~Escapable {
  private let body: Span<UInt8>
  private var position = 0

  @_lifetime(copy body)
  init(_ body: Span<UInt8>) { self.body = body }

  /// Takes the kind.
  @_lifetime(self: copy self)
  mutating func kind() throws(MessageRefusal) -> UInt8 {
    guard position < body.count else { throw .malformed }
    position += 1
    return body[position - 1]
  }

  /// Ends the message.
  func end() throws(MessageRefusal) {
    guard position == body.count else { throw .malformed }
  }

  /// Takes a field that is a secret, or was typed by a person.
  @_lifetime(self: copy self)
  mutating func secret(longest: Int) throws(MessageRefusal) -> SecretBytes {
    SecretBytes(copying: body, in: try range(longest: longest))
  }

  /// Takes a field of bytes.
  @_lifetime(self: copy self)
  mutating func bytes(longest: Int) throws(MessageRefusal) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in try range(longest: longest) { bytes.append(body[index]) }
    return bytes
  }

  /// Takes a field that holds a user's name.
  @_lifetime(self: copy self)
  mutating func userName() throws(MessageRefusal) -> UserName {
    guard let user = UserName(try bytes(longest: UserName.maximumLength)) else { throw .malformed }
    return user
  }

  /// Takes a field that holds a number of the type's own width.
  @_lifetime(self: copy self)
  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type
  ) throws(MessageRefusal) -> Number {
    let range = try range(longest: Number.bitWidth / 8)
    guard range.count == Number.bitWidth / 8 else { throw .malformed }
    var number: Number = 0
    for index in range { number = number << 8 | Number(truncatingIfNeeded: body[index]) }
    return number
  }

  /// Takes a field that holds 0 or 1.
  @_lifetime(self: copy self)
  mutating func flag() throws(MessageRefusal) -> Bool {
    let number = try number(UInt8.self)
    guard number <= 1 else { throw .malformed }
    return number == 1
  }

  /// Takes three fields: hash function, number of digits, period.
  @_lifetime(self: copy self)
  mutating func parameters() throws(MessageRefusal) -> TOTPParameters {
    guard let algorithm = HashAlgorithm(rawValue: try number(UInt8.self)),
      let codeLength = CodeLength(rawValue: try number(UInt8.self)),
      let parameters = TOTPParameters(
        algorithm: algorithm, codeLength: codeLength, period: try number(UInt16.self))
    else { throw .malformed }
    return parameters
  }

  /// Takes a factor's id.
  @_lifetime(self: copy self)
  mutating func factor() throws(MessageRefusal) -> FactorID {
    guard let factor = FactorID(bytes: try bytes(longest: FactorID.length)) else {
      throw .malformed
    }
    return factor
  }

  /// Takes a factor's id, or nil when the field is empty.
  @_lifetime(self: copy self)
  mutating func optionalFactor() throws(MessageRefusal) -> FactorID? {
    let bytes = try bytes(longest: FactorID.length)
    guard !bytes.isEmpty else { return nil }
    guard let factor = FactorID(bytes: bytes) else { throw .malformed }
    return factor
  }

  /// Takes a number of one byte and so many fields, each a secret of `length` bytes. They come one
  /// behind the other.
  @_lifetime(self: copy self)
  mutating func secrets(
    atMost most: Int, each length: Int
  ) throws(MessageRefusal) -> SecretBytes {
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

  /// Takes six fields: enrollment, state, recovery codes, imported ones, standing, seconds.
  @_lifetime(self: copy self)
  mutating func status() throws(MessageRefusal) -> AccountStatus {
    guard let enrollment = AccountStatus.Enrollment(rawValue: try number(UInt8.self)),
      let state = AccountStatus.State(rawValue: try number(UInt8.self))
    else { throw .malformed }
    let codes = try number(UInt8.self)
    let imported = try number(UInt8.self)
    guard imported <= codes,
      let standing = AccountStatus.Standing(
        number: try number(UInt8.self), seconds: try number(UInt32.self))
    else { throw .malformed }
    return AccountStatus(
      enrollment: enrollment, state: state, recoveryCodesLeft: codes,
      importedRecoveryCodesLeft: imported, standing: standing)
  }

  /// Takes the name of a factor, or nil when it is none that a factor may have.
  @_lifetime(self: copy self)
  mutating func displayName() throws(MessageRefusal) -> DisplayName? {
    let bytes = try bytes(longest: DisplayName.maximumBytes)
    do throws(DisplayName.Refusal) {
      let name = try DisplayName(bytes)
      return name.utf8 == bytes ? name : nil
    } catch {
      return nil
    }
  }

  /// Takes a text that is shown.
  @_lifetime(self: copy self)
  mutating func text() throws(MessageRefusal) -> ShownText {
    let bytes = try bytes(longest: ShownText.longest)
    let text = ShownText(cleaning: bytes)
    guard text.utf8 == bytes else { throw .malformed }
    return text
  }

  /// Takes a field and tells where its bytes are.
  @_lifetime(self: copy self)
  private mutating func range(longest: Int) throws(MessageRefusal) -> Range<Int> {
    guard body.count - position >= 2 else { throw .malformed }
    let count = Int(body[position]) << 8 | Int(body[position + 1])
    guard count <= longest else { throw .tooLong }
    guard count <= body.count - position - 2 else { throw .malformed }
    let start = position + 2
    position = start + count
    return start..<position
  }
}
