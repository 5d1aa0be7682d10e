import MFABase
import MFAMessages
import MFAWire

/// What a verifier lets a host keep about one user, so that the host can decide while no verifier answers. It has
/// no secret of a factor and no code that is valid online.
///
/// MUST 1: an encoded permit parses to an equal value, and no other bytes parse. (`OfflineEncodingTests.permit`)
package struct OfflinePermit: EncodedValue, Equatable, Sendable {
  /// The user's name: 1 to 255 bytes.
  package private(set) var user: [UInt8]
  /// The language that the user enrolled with, or nil if it is not known.
  package private(set) var language: Language?
  /// The time at which a verifier wrote the permit, in seconds since the epoch.
  package private(set) var issuedAt: Int64
  /// The time at which the user last signed in at the host with a code, in seconds since the epoch.
  package private(set) var signedInAt: Int64
  /// The first second in which the permit is no longer valid, in seconds since the epoch.
  package private(set) var expiresAt: Int64
  /// What is permitted.
  package private(set) var rules: [OfflineRule]
  /// The unused offline recovery codes, or nil if the user has none for the groups of the host.
  package var codes: OfflineCodeSet?
  /// The bytes with which a verifier recognises the permit when the host asks for a present one: at most
  /// `longestToken`. Only verifiers can make them.
  package private(set) var token: [UInt8]

  /// The longest token in bytes.
  package static let longestToken = 1024
  /// The longest encoding in bytes.
  package static let longest = 60_000
  /// The largest number of rules: one for each group of a host.
  package static let mostRules = 16

  private static let unknownLanguage: UInt8 = 0xff

  /// Creates a permit.
  package init(
    user: [UInt8], language: Language? = nil, issuedAt: Int64, signedInAt: Int64,
    expiresAt: Int64, rules: [OfflineRule], codes: OfflineCodeSet?, token: [UInt8]
  ) {
    self.user = user
    self.language = language
    self.issuedAt = issuedAt
    self.signedInAt = signedInAt
    self.expiresAt = expiresAt
    self.rules = rules
    self.codes = codes
    self.token = token
  }

  /// A permit whose fields are read next.
  package static var placeholder: OfflinePermit {
    OfflinePermit(
      user: [], issuedAt: 0, signedInAt: 0, expiresAt: 0, rules: [], codes: nil, token: [])
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.constant(1)
    try coder.short(&user)
    guard !user.isEmpty else { throw .malformed }
    var number = language?.rawValue ?? Self.unknownLanguage
    try coder.number(&number)
    language = Language(rawValue: number)
    guard language != nil || number == Self.unknownLanguage else { throw .malformed }
    try coder.number(&issuedAt)
    try coder.number(&signedInAt)
    try coder.number(&expiresAt)
    let rule = OfflineRule(services: nil, methods: [], rememberedSeconds: 0)
    try coder.list(&rules, most: UInt8(Self.mostRules), placeholder: rule) {
      (rule: inout OfflineRule, coder: inout Coder) throws(PacketError) in
      try rule.fields(&coder)
    }
    try coder.value(&codes)
    try coder.bytes(&token, longest: Self.longestToken)
  }
}

/// A permit as a host keeps it, with the place of the sign-in for which a verifier gave it.
package struct HeldPermit: Equatable, Sendable {
  /// The permit.
  package var permit: OfflinePermit
  /// A digest of the address and the keys of the last sign-in with a code, `originLength` bytes; nil if no
  /// address was known.
  package var origin: [UInt8]?

  /// The length of the digest of a place in bytes.
  package static let originLength = 32
}

/// The content of the file with the permits of a host: the permits, and the codes that were used offline, which
/// a permit that a verifier wrote earlier may still contain.
///
/// MUST 1: an encoded value parses to an equal value, and no other bytes parse. (Tests/Fleet: `offline with codes`)
struct PermitFile: Equatable {
  /// The permits, by the names of their users.
  var permits: [[UInt8]: HeldPermit] = [:]
  /// The codes that were used at this host, the newest last.
  var spent: [OfflineCodeID] = []

  /// The largest number of permits.
  static var most: Int { 1000 }
  /// The largest number of used codes that are kept.
  static var mostSpent: Int { 4096 }
  /// The longest encoding in bytes.
  static var longest: Int64 { 8_388_608 }
  private static var magic: [UInt8] { Array("MFAOFFP1".utf8) }

  /// Returns the encoding, with a checksum that recognises damage.
  func encoded() throws(RealmError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(UInt16(clamping: permits.count))
    for held in permits.values.sorted(by: {
      $0.permit.user.lexicographicallyPrecedes($1.permit.user)
    }) {
      let permit = held.permit.encoded()
      writer.write(UInt16(clamping: permit.count))
      writer.write(permit)
      writer.writeShort(held.origin ?? [])
    }
    writer.write(UInt16(clamping: spent.count))
    for code in spent {
      writer.write(code.set)
      writer.write(code.number)
    }
    return writer.bytes + (try OfflineChain.value(after: OfflineChain.beginning, writer.bytes))
  }

  init() {}

  /// Reads an encoding.
  ///
  /// - Throws: `.damaged` if it is malformed.
  init(_ encoded: [UInt8]) throws(RealmError) {
    let length = encoded.count - OfflineReport.chainLength
    guard length >= 0 else { throw .damaged }
    let content = encoded.span.part(from: 0, count: length).copied()
    let checksum = encoded.span.part(from: length, count: OfflineReport.chainLength).copied()
    guard try OfflineChain.value(after: OfflineChain.beginning, content) == checksum else {
      throw .damaged
    }
    var reader = ByteReader(content.span)
    guard reader.read(count: Self.magic.count) == Self.magic,
      let count = reader.read(UInt16.self), Int(count) <= Self.most
    else { throw .damaged }
    for _ in 0..<count {
      guard let length = reader.read(UInt16.self), let bytes = reader.read(count: Int(length)),
        let permit = OfflinePermit(bytes.span), let origin = reader.readShort(),
        origin.isEmpty || origin.count == HeldPermit.originLength
      else { throw .damaged }
      permits[permit.user] = HeldPermit(permit: permit, origin: origin.isEmpty ? nil : origin)
    }
    guard let number = reader.read(UInt16.self), Int(number) <= Self.mostSpent else {
      throw .damaged
    }
    for _ in 0..<number {
      guard let set = reader.read(count: OfflineCodeSet.idLength),
        let code = reader.read(UInt8.self)
      else { throw .damaged }
      spent.append(OfflineCodeID(set: set, number: code))
    }
    guard reader.isAtEnd else { throw .damaged }
  }

  /// Keeps a permit without the codes that were used here. Of too many permits, the one that expires first is
  /// dropped.
  mutating func keep(_ held: HeldPermit) {
    permits[held.permit.user] = held
    removeSpent()
    guard permits.count > Self.most else { return }
    let first = permits.min { $0.value.permit.expiresAt < $1.value.permit.expiresAt }
    if let first { permits[first.key] = nil }
  }

  /// Notes that a code was used.
  mutating func spend(_ code: OfflineCodeID) {
    guard !spent.contains(code) else { return }
    spent.append(code)
    if spent.count > Self.mostSpent { spent.removeFirst(spent.count - Self.mostSpent) }
    removeSpent()
  }

  private mutating func removeSpent() {
    for (user, held) in permits {
      guard var codes = held.permit.codes else { continue }
      codes.codes.removeAll { spent.contains(OfflineCodeID(set: codes.id, number: $0.number)) }
      permits[user]?.permit.codes = codes
    }
  }
}
