import MFABase
import MFAMessages
import MFARealm
import Testing

@Suite("The encodings for sign-ins while no verifier answers")
struct OfflineEncodingTests {
  private static let permit = OfflinePermit(
    user: Array("alice".utf8), language: .japanese, issuedAt: 1, signedInAt: 2, expiresAt: 3,
    rules: [
      OfflineRule(services: nil, methods: [.recovery, .breakGlass], rememberedSeconds: 0),
      OfflineRule(services: [Array("sshd".utf8)], methods: [.remembered], rememberedSeconds: 60),
    ],
    codes: OfflineCodeSet(
      id: [UInt8](repeating: 1, count: 8), salt: [UInt8](repeating: 2, count: 16), costLog2: 15,
      codes: [OfflineCodeSet.Code(number: 4, hash: [UInt8](repeating: 3, count: 32))]),
    token: [9, 9])

  @Test("a permit parses to an equal value, and no part of it parses")
  func permit() {
    let encoded = Self.permit.encoded()
    #expect(OfflinePermit(encoded.span) == Self.permit)
    for count in 0..<encoded.count {
      #expect(OfflinePermit(encoded.span.part(from: 0, count: count)) == nil)
    }
    let longer = encoded + [0]
    #expect(OfflinePermit(longer.span) == nil)
    var other = encoded
    other[0] = 2
    #expect(OfflinePermit(other.span) == nil)
    // The byte after the user's name is the language.
    other = encoded
    for (byte, language) in [(0, Language.english), (4, .traditionalChinese), (0xff, nil)] {
      other[7] = UInt8(byte)
      let parsed = OfflinePermit(other.span)
      #expect(parsed != nil && parsed?.language == language)
    }
    other[7] = 5
    #expect(OfflinePermit(other.span) == nil)
  }

  @Test("a report parses to an equal value, and no part of it parses")
  func report() {
    let record = OfflineRecord(
      number: 8, time: 5, kind: .code, user: Array("alice".utf8), service: Array("sshd".utf8),
      source: Array("192.0.2.1".utf8),
      code: OfflineCodeID(set: [UInt8](repeating: 1, count: 8), number: 2))
    let bytes = record.encoded()
    #expect(OfflineRecord(bytes.span) == record)
    let report = OfflineReport(
      isDamaged: false, base: 7, chain: [UInt8](repeating: 6, count: 32), records: [bytes, bytes])
    let encoded = report.encoded()
    #expect(OfflineReport(encoded.span) == report)
    for count in 0..<encoded.count {
      #expect(OfflineReport(encoded.span.part(from: 0, count: count)) == nil)
    }
    for count in 0..<bytes.count {
      #expect(OfflineRecord(bytes.span.part(from: 0, count: count)) == nil)
    }
  }

  @Test("a report has as many records as fit")
  func longReport() {
    let record = [UInt8](repeating: 1, count: 1000)
    let report = OfflineReport(
      isDamaged: false, base: 0, chain: [UInt8](repeating: 0, count: 32),
      records: [[UInt8]](repeating: record, count: 100))
    #expect(report.records.count == 59)
    #expect(report.encoded().count <= OfflineReport.longest)
  }
}
