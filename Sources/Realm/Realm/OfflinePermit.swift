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
