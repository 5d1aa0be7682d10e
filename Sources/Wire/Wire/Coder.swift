import MFABase
import MFAModel

/// Why a packet cannot be understood.
package enum PacketError: Error, Equatable, Sendable {
  /// A message or a field is cut off, too long or out of range, or something follows the last field.
  case malformed
  /// No message of this direction has this kind, or no value this form.
  case unknownKind(UInt8)
  /// `DisplayName` refuses the factor's name; the message is otherwise well formed. The helper can
  /// answer the message and continue.
  case unsupportedDisplayName
}

/// The content of a packet. It lists its fields once, and a coder reads or writes them.
package protocol WireMessage: ~Copyable {
  /// The first byte of a packet with this message.
  static var kind: UInt8 { get }

  /// Creates a message whose fields are read next.
  init()

  /// Reads or writes each field, in the order of the packet.
  mutating func fields(_ coder: inout Coder) throws(PacketError)
}

extension WireMessage where Self: ~Copyable {
  /// Reads the packet of a message of this kind.
  package init(packet: consuming SecretBytes) throws(PacketError) {
    var coder = Coder(reading: packet)
    self.init()
    try coder.constant(Self.kind)
    try coder.constant(Coder.version)
    try fields(&coder)
    guard coder.isAtEnd else { throw .malformed }
  }

  /// Reads the packet of a message of this kind.
  package init(_ packet: Span<UInt8>) throws(PacketError) {
    try self.init(packet: SecretBytes(copying: packet))
  }

  /// Returns the packet, or nil if it would be too long or a field is out of range.
  package mutating func packet() -> SecretBytes? {
    var coder = Coder()
    do throws(PacketError) {
      try coder.constant(Self.kind)
      try coder.constant(Coder.version)
      try fields(&coder)
    } catch {
      return nil
    }
    return coder.finish()
  }
}

extension WireMessage {
  /// Returns the packet, or nil if it would be too long or a field is out of range.
  package func packet() -> SecretBytes? {
    var message = self
    return Self.packet(of: &message)
  }

  private static func packet<Message: WireMessage & ~Copyable>(
    of message: inout Message
  ) -> SecretBytes? {
    message.packet()
  }
}

/// Reads or writes the fields of a message in one packet. Numbers have their most significant byte
/// first. A string of bytes is preceded by its length in two bytes, and a list by its length in one.
///
/// MUST 1: a packet that was written is read as an equal message, and no other bytes are read.
/// (`CodingTests`)
/// MUST 2: nothing is read beyond the end of a packet, and no memory is allocated for a length that the
/// packet does not have. (`CodingTests`)
package struct Coder: ~Copyable {
  private var buffer: SecretBytes
  /// The number of bytes that were read or written.
  private var position = 0
  /// Whether fields are read, and not written.
  package let isReading: Bool
  /// Whether this is a message of the helper: its numbers have their lengths before them, as strings do, and it
  /// may be in a frame.
  private let isOfHelper: Bool
  /// Whether a name was read that no factor can have.
  private var hasUnsupportedName = false

  /// The version of all packets.
  package static let version: UInt8 = 1
  /// The longest packet in bytes.
  package static let longest = 65_536

  /// Begins to read a packet.
  package init(reading packet: consuming SecretBytes) {
    buffer = packet
    isReading = true
    isOfHelper = false
  }

  /// Begins to write a packet.
  package init() {
    buffer = SecretBytes(count: 512)
    isReading = false
    isOfHelper = false
  }

  /// Whether a packet was read to its end.
  package var isAtEnd: Bool { isReading && position == buffer.count }

  /// Returns the packet that was written.
  package consuming func finish() -> SecretBytes { buffer.prefix(position) }

  // MARK: Fields

  /// A byte that has to be the same in every packet.
  package mutating func constant(_ value: UInt8) throws(PacketError) {
    var found = value
    try number(&found)
    guard found == value else { throw .malformed }
  }

  /// A number.
  package mutating func number<Number: FixedWidthInteger>(
    _ value: inout Number
  ) throws(PacketError) {
    var number = UInt64(truncatingIfNeeded: value)
    try self.number(&number, count: Number.bitWidth / 8)
    value = Number(truncatingIfNeeded: number)
  }

  /// A number of `count` bytes. All fields with numbers share this function, which keeps the module small.
  private mutating func number(_ value: inout UInt64, count: Int) throws(PacketError) {
    if isOfHelper {
      guard try length(UInt16(truncatingIfNeeded: count)) == count else { throw .malformed }
    }
    try raw(&value, count: count)
  }

  /// A number without its length.
  @inline(never)
  private mutating func raw(_ value: inout UInt64, count: Int) throws(PacketError) {
    let start = try advance(count)
    if isReading {
      value = 0
      for index in 0..<count { value = value << 8 | UInt64(buffer.span[start &+ index]) }
      return
    }
    let written = value
    buffer.withMutableSpan { buffer in
      for index in 0..<count {
        let shift = UInt64(truncatingIfNeeded: 8 &* (count &- 1 &- index))
        buffer[start &+ index] = UInt8(truncatingIfNeeded: written >> shift)
      }
    }
  }

  /// 0 or 1.
  package mutating func flag(_ value: inout Bool) throws(PacketError) {
    var number: UInt8 = value ? 1 : 0
    try self.number(&number)
    guard number <= 1 else { throw .malformed }
    value = number == 1
  }

  /// One of several values.
  package mutating func choice<Value: RawRepresentable>(
    _ value: inout Value
  ) throws(PacketError) where Value.RawValue == UInt8 {
    var number = value.rawValue
    try self.number(&number)
    guard let found = Value(rawValue: number) else { throw .malformed }
    value = found
  }

  /// Reads the number of the form that a value has. The value is then `forms[number - 1]`, whose fields are read
  /// next. The number itself is a `constant` of each form, which is written, or read again.
  package mutating func form<Value>(
    _ value: inout Value, of forms: [Value]
  ) throws(PacketError) {
    guard isReading else { return }
    guard position < buffer.count else { throw .malformed }
    let number = buffer.span[position]
    guard number >= 1, Int(number) <= forms.count else { throw .unknownKind(number) }
    value = forms[Int(number) &- 1]
  }

  /// A string of at most `longest` bytes.
  package mutating func bytes(
    _ value: inout [UInt8], longest: Int = longest
  ) throws(PacketError) {
    let range = try string(value.span, longest)
    if isReading { value = buffer.span.part(from: range.lowerBound, count: range.count).copied() }
  }

  /// A flag, and a string if it is 1.
  package mutating func bytes(
    _ value: inout [UInt8]?, longest: Int = longest
  ) throws(PacketError) {
    var isThere = value != nil
    try flag(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var bytes = value ?? []
    try self.bytes(&bytes, longest: longest)
    value = bytes
  }

  /// A string that contains a secret or what a user typed.
  package mutating func secret(
    _ value: inout SecretBytes, longest: Int = longest
  ) throws(PacketError) {
    let range = try string(value.span, longest)
    if isReading { value = SecretBytes(copying: buffer.span, in: range) }
  }

  /// The identifier of a factor, a record or a grant.
  package mutating func identifier<ID: RandomIdentifier>(_ id: inout ID) throws(PacketError) {
    var bytes = id.bytes
    try self.bytes(&bytes, longest: ID.length)
    guard let found = ID(bytes: bytes) else { throw .malformed }
    id = found
  }

  /// An identifier, or an empty string.
  package mutating func identifier<ID: RandomIdentifier>(_ id: inout ID?) throws(PacketError) {
    var bytes = id?.bytes ?? []
    try self.bytes(&bytes, longest: ID.length)
    id = ID(bytes: bytes)
    guard bytes.isEmpty || id != nil else { throw .malformed }
  }

  /// The scope of a program password, which must not be nil in the end.
  package mutating func scope(_ scope: inout ProgramScope?) throws(PacketError) {
    var (services, networks) = (scope?.servicesText ?? [], scope?.networksText ?? [])
    try bytes(&services, longest: ProgramScope.longestText)
    try bytes(&networks, longest: ProgramScope.longestText)
    scope = ProgramScope(services: services, networks: networks)
    guard scope != nil else { throw .malformed }
  }

  /// A factor's name. In a message of the helper, one that a factor cannot have is reported at the end.
  package mutating func name(_ name: inout DisplayName) throws(PacketError) {
    var utf8 = name.utf8
    try bytes(&utf8, longest: DisplayName.maximumBytes)
    if let read = DisplayName(utf8), read.utf8 == utf8 {
      name = read
      return
    }
    guard isOfHelper else { throw .malformed }
    hasUnsupportedName = true
  }

  /// A user's name.
  package mutating func user(_ user: inout UserName) throws(PacketError) {
    var bytes = user.bytes
    try self.bytes(&bytes, longest: UserName.maximumLength)
    guard let read = UserName(bytes) else { throw .malformed }
    user = read
  }

  /// The parameters of one-time passwords.
  package mutating func parameters(_ parameters: inout TOTPParameters) throws(PacketError) {
    var (algorithm, length) = (parameters.algorithm, parameters.codeLength)
    var period = parameters.period
    try choice(&algorithm)
    try choice(&length)
    try number(&period)
    guard let found = TOTPParameters(algorithm: algorithm, codeLength: length, period: period)
    else { throw .malformed }
    parameters = found
  }

  /// A text in memory that is wiped.
  package mutating func text(_ text: inout PrivateText, longest: Int) throws(PacketError) {
    var bytes = text.copy()
    try secret(&bytes, longest: longest)
    text = PrivateText(bytes)
  }

  /// A flag, and a value if it is 1, which codes itself by `fields`.
  package mutating func optional<Value>(
    _ value: inout Value?, placeholder: Value,
    _ fields: (inout Value, inout Coder) throws(PacketError) -> Void
  ) throws(PacketError) {
    var isThere = value != nil
    try flag(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var present = value ?? placeholder
    try fields(&present, &self)
    value = present
  }

  /// A list of strings.
  package mutating func strings(
    _ values: inout [[UInt8]], most: UInt8, longest: Int = longest
  ) throws(PacketError) {
    for index in try count(&values, most: most, placeholder: []) {
      try bytes(&values[index], longest: longest)
    }
  }

  /// A list of values, each of which codes itself by `fields`.
  package mutating func list<Element>(
    _ values: inout [Element], most: UInt8, placeholder: Element,
    _ fields: (inout Element, inout Coder) throws(PacketError) -> Void
  ) throws(PacketError) {
    for index in try count(&values, most: most, placeholder: placeholder) {
      try fields(&values[index], &self)
    }
  }

  // MARK: Bytes

  /// The number of elements. A list that is read has as many placeholders afterwards, whose fields
  /// follow.
  private mutating func count<Element>(
    _ values: inout [Element], most: UInt8, placeholder: Element
  ) throws(PacketError) -> Range<Int> {
    guard isReading || values.count <= Int(most) else { throw .malformed }
    var count = UInt8(truncatingIfNeeded: values.count)
    try number(&count)
    guard count <= most else { throw .malformed }
    if isReading { values = Array(repeating: placeholder, count: Int(count)) }
    return 0..<Int(count)
  }

  /// The length of a string and its bytes. Returns where they are.
  private mutating func string(
    _ written: Span<UInt8>, _ longest: Int
  ) throws(PacketError) -> Range<Int> {
    guard isReading || written.count <= min(longest, Int(UInt16.max)) else { throw .malformed }
    let length = Int(try length(UInt16(truncatingIfNeeded: written.count)))
    guard length <= longest else { throw .malformed }
    let start = try advance(length)
    if !isReading {
      buffer.withMutableSpan { buffer in
        for index in written.indices { buffer[start &+ index] = written[index] }
      }
    }
    return start..<position
  }

  /// The length of a string, or of a number in a message of the helper.
  private mutating func length(_ written: UInt16) throws(PacketError) -> UInt16 {
    var length = UInt64(written)
    try raw(&length, count: 2)
    return UInt16(truncatingIfNeeded: length)
  }

  /// Moves past `count` bytes, and returns where they begin.
  private mutating func advance(_ count: Int) throws(PacketError) -> Int {
    let start = position
    guard count >= 0, count <= (isReading ? buffer.count : Self.longest) &- start else {
      throw .malformed
    }
    position = start &+ count
    if !isReading, position > buffer.count {
      var larger = SecretBytes(count: min(max(2 &* buffer.count, position), Self.longest))
      larger.withMutableSpan { larger in
        for index in 0..<start { larger[index] = buffer.span[index] }
      }
      buffer = larger
    }
    return start
  }
}

// MARK: Messages of the helper

/// The messages between `mfa-helper` and its client, in frames. Each field has its length before it, in two bytes.
extension Coder {
  /// Begins to write a message of a kind, with its frame.
  init(framed kind: UInt8) {
    buffer = SecretBytes(count: 512)
    isReading = false
    isOfHelper = true
    position = Frame.headerLength &+ 1
    buffer.withMutableSpan { $0[Frame.headerLength] = kind }
  }

  /// Begins to read the body of a frame.
  init(readingBody body: consuming SecretBytes) {
    buffer = body
    isReading = true
    isOfHelper = true
  }

  /// Reads the kind of the message.
  mutating func kind<Kind: RawRepresentable>() throws(PacketError) -> Kind
  where Kind.RawValue == UInt8 {
    var number: UInt64 = 0
    try raw(&number, count: 1)
    guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: number)) else {
      throw .unknownKind(UInt8(truncatingIfNeeded: number))
    }
    return kind
  }

  /// Checks that a message was read to its end, and that all names are supported.
  func end() throws(PacketError) {
    guard isAtEnd else { throw .malformed }
    guard !hasUnsupportedName else { throw .unsupportedDisplayName }
  }

  /// Returns the message with its frame.
  consuming func frame() throws(PacketError) -> SecretBytes {
    let length = position &- Frame.headerLength
    guard length <= Frame.longestBody else { throw .malformed }
    buffer.withMutableSpan { buffer in
      for index in 0..<Frame.headerLength {
        let shift = 8 &* (Frame.headerLength &- 1 &- index)
        buffer[index] = UInt8(truncatingIfNeeded: length >> shift)
      }
    }
    return buffer.prefix(position)
  }

  /// A text for display.
  mutating func text(_ text: inout DisplayText) throws(PacketError) {
    var utf8 = text.utf8
    try bytes(&utf8, longest: DisplayText.longest)
    let read = DisplayText(cleaning: utf8)
    guard read.utf8 == utf8 else { throw .malformed }
    text = read
  }

  /// A phone number as it is shown.
  mutating func phone(_ number: inout MaskedPhoneNumber) throws(PacketError) {
    var ascii = number.ascii
    try bytes(&ascii, longest: MaskedPhoneNumber.maximumLength)
    guard let read = MaskedPhoneNumber(ascii: ascii) else { throw .malformed }
    number = read
  }

  /// Secrets of the same length, which are concatenated in `secrets`: their number, and then each of them.
  mutating func secrets(
    _ secrets: inout SecretBytes, most: UInt8, each length: Int
  ) throws(PacketError) {
    guard isReading || secrets.count % length == 0, secrets.count <= Int(most) &* length else {
      throw .malformed
    }
    var count = UInt8(truncatingIfNeeded: secrets.count / length)
    try number(&count)
    guard count <= most else { throw .malformed }
    if isReading { secrets = SecretBytes(count: Int(count) &* length) }
    for number in 0..<Int(count) {
      let start = number &* length
      var one = SecretBytes(copying: secrets.span, in: start..<start &+ length)
      try secret(&one, longest: length)
      guard one.count == length else { throw .malformed }
      secrets.withMutableSpan { secrets in
        for index in 0..<length { secrets[start &+ index] = one.span[index] }
      }
    }
  }
}
