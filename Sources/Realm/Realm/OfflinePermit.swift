import MFABase
import MFAMessages

/// What a verifier lets a host keep about one user, so that the host can decide while no verifier answers. It has
/// no secret of a factor and no code that is valid online.
///
/// MUST 1: an encoded permit parses to an equal value, and no other bytes parse. (`OfflineEncodingTests.permit`)
package struct OfflinePermit: Equatable, Sendable {
  /// The user's name: 1 to 255 bytes.
  package let user: [UInt8]
  /// The language that the user enrolled with, or nil if it is not known.
  package let language: Language?
  /// The time at which a verifier wrote the permit, in seconds since the epoch.
  package let issuedAt: Int64
  /// The time at which the user last signed in at the host with a code, in seconds since the epoch.
  package let signedInAt: Int64
  /// The first second in which the permit is no longer valid, in seconds since the epoch.
  package let expiresAt: Int64
  /// What is permitted.
  package let rules: [OfflineRule]
  /// The unused offline recovery codes, or nil if the user has none for the groups of the host.
  package var codes: OfflineCodeSet?
  /// The bytes with which a verifier recognises the permit when the host asks for a present one: at most
  /// `longestToken`. Only verifiers can make them.
  package let token: [UInt8]

  /// The longest token in bytes.
  package static let longestToken = 1024
  /// The longest encoding in bytes.
  package static let longest = 60_000
  /// The largest number of rules: one for each group of a host.
  package static let mostRules = 16

  private static let version: UInt8 = 1
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

  /// Returns the encoding.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.writeShort(user)
    writer.write(language?.rawValue ?? Self.unknownLanguage)
    writer.write(issuedAt)
    writer.write(signedInAt)
    writer.write(expiresAt)
    writer.write(UInt8(clamping: rules.count))
    for rule in rules {
      writer.write(rule.methods.rawValue)
      writer.write(rule.rememberedSeconds)
      // A number above `mostServices` means all services.
      writer.write(rule.services.map { UInt8(clamping: $0.count) } ?? .max)
      for service in rule.services ?? [] { writer.writeShort(service) }
    }
    writer.write(UInt8(codes == nil ? 0 : 1))
    codes?.write(to: &writer)
    writer.write(UInt16(clamping: token.count))
    writer.write(token)
    return writer.bytes
  }

  /// Reads an encoding. Returns nil if it is malformed.
  package init?(_ encoded: Span<UInt8>) {
    var reader = ByteReader(encoded)
    guard encoded.count <= Self.longest, reader.read(UInt8.self) == Self.version,
      let user = reader.readShort(), !user.isEmpty, let number = reader.read(UInt8.self),
      let issuedAt = reader.read(Int64.self), let signedInAt = reader.read(Int64.self),
      let expiresAt = reader.read(Int64.self), let rules = Self.rules(&reader),
      let hasCodes = reader.read(UInt8.self), hasCodes <= 1
    else { return nil }
    let language = Language(rawValue: number)
    guard language != nil || number == Self.unknownLanguage else { return nil }
    var codes: OfflineCodeSet?
    if hasCodes == 1 {
      codes = OfflineCodeSet(&reader)
      guard codes != nil else { return nil }
    }
    guard let length = reader.read(UInt16.self), Int(length) <= Self.longestToken,
      let token = reader.read(count: Int(length)), reader.isAtEnd
    else { return nil }
    self.init(
      user: user, language: language, issuedAt: issuedAt, signedInAt: signedInAt,
      expiresAt: expiresAt, rules: rules, codes: codes, token: token)
  }

  private static func rules(_ reader: inout ByteReader) -> [OfflineRule]? {
    guard let count = reader.read(UInt8.self), Int(count) <= mostRules else { return nil }
    var rules: [OfflineRule] = []
    for _ in 0..<count {
      guard let bits = reader.read(UInt8.self), let seconds = reader.read(Int64.self),
        OfflineMethods.all.contains(OfflineMethods(rawValue: bits)), seconds >= 0,
        let number = reader.read(UInt8.self)
      else { return nil }
      var services: [[UInt8]]?
      if number != .max {
        guard Int(number) <= OfflineRule.mostServices else { return nil }
        var names: [[UInt8]] = []
        for _ in 0..<number {
          guard let name = reader.readShort() else { return nil }
          names.append(name)
        }
        services = names
      }
      rules.append(
        OfflineRule(
          services: services, methods: OfflineMethods(rawValue: bits), rememberedSeconds: seconds))
    }
    return rules
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

  /// Creates a value.
  package init(permit: OfflinePermit, origin: [UInt8]?) {
    self.permit = permit
    self.origin = origin
  }
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
  func encoded() throws(OfflineStoreError) -> [UInt8] {
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
  init(_ encoded: [UInt8]) throws(OfflineStoreError) {
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
