import MFABase

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
