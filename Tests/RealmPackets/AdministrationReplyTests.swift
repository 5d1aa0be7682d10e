import MFAAttempt
import MFAModel
import MFARealm
import MFAWire
import MFABase
import Testing

/// MUST 1 of AdministrationReply.swift.
@Suite("Replies to administrators")
struct AdministrationReplyTests {
  private static func bytes(_ text: String) -> [UInt8] { FactSamples.bytes(text) }

  private static var host: AdministeredHost {
    var host = AdministeredHost(
      name: bytes("web1"), groups: [bytes("web"), bytes("all")], joinedAt: 1, revokedAt: 2)
    host.version = bytes("0.1.0")
    host.seenAt = 3
    host.certificateEnd = 4
    host.failures = 5
    host.mostFailures = 100
    return host
  }

  private static var realm: AdministeredRealm {
    AdministeredRealm(
      verifiers: [AdministeredVerifier(name: bytes("a"), version: bytes("0.1.0"), seenAt: 9)],
      epoch: 3, fence: 7, primary: bytes("db1:5432"), members: [bytes("db2 sync")], lag: 17)
  }

  /// Replies by their number.
  private static func reply(_ number: Int) -> AdministrationReply? {
    switch number {
    case 0: .failed(.unknownGroup, detail: bytes("web"))
    case 1:
      .inspection(
        VerifierInspection(
          version: bytes("0.1.0"), isAdministering: true, findings: [bytes("fsync is off")],
          certificateEnd: 5))
    case 2: .hosts([host], isEnd: false)
    case 3: .hostTicket(SecretBytes(copying: bytes("AAAA-BBBB").span))
    case 4: .done(checkpoint: bytes("17:9f2c0a1b"))
    case 5: .realm(realm)
    case 6:
      Samples.summary.map { summary in
        [
          AdministeredRealmUser(
            name: bytes("alice"), .usable(summary), fingerprint: bytes("12345678"),
            directoryEntry: bytes("id")),
          AdministeredRealmUser(name: bytes("bob"), .unusable(bytes("record: damaged"))),
        ]
      }.map { .users($0, isEnd: true) }
    case 7: .auditLogEnd(17)
    case 8:
      .auditLog(
        [AdministeredLogLine(number: 1, text: bytes("n=1"), checkpoint: bytes("1:9f2c0a1b"))],
        isEnd: true)
    case 9:
      .imported(
        AdministeredImport(
          factors: [
            FactorImport(.zero, .added, mark: [1, 2]), FactorImport(.zero, .otherFactors),
          ], recoveryCodes: .grants, recoveryCodeMark: [3], failuresBefore: 4, failures: 5,
          checkpoint: bytes("17:9f2c0a1b")))
    default:
      Samples.effects.indices.contains(number - 10)
        ? .changed(Samples.effects[number - 10], checkpoint: bytes("17:9f2c0a1b")) : nil
    }
  }

  private static func packet(_ reply: consuming AdministrationReply?) -> [UInt8]? {
    switch consume reply {
    case .some(let reply):
      guard let packet = reply.packet() else { return nil }
      return packet.span.copied()
    case .none: return nil
    }
  }

  /// Reads a packet, and returns the packet of what was read.
  private static func copied(_ packet: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      return Self.packet(try AdministrationReply.read(packet.span))
    } catch {
      return nil
    }
  }

  @Test("every reply parses, and no other bytes parse", arguments: 0..<10 + Samples.effects.count)
  func everyReplyParses(number: Int) throws {
    let encoded = Self.packet(Self.reply(number))
    let packet = try #require(encoded)
    #expect(Self.copied(packet) == packet)
    for damaged in Damage.all(of: packet) {
      guard let copy = Self.copied(damaged) else { continue }
      #expect(copy == damaged)
    }
  }

  @Test("a list has at most 1,000 elements, and fits into a packet if its elements do")
  func lists() throws {
    let line = AdministeredLogLine(number: 1, text: [], checkpoint: [])
    let lines = [AdministeredLogLine](repeating: line, count: 1001)
    let encoded = Self.packet(.auditLog(lines, isEnd: true))
    let packet = try #require(encoded)
    #expect(Self.copied(packet) == nil)
    let long = AdministeredLogLine(
      number: 1, text: [UInt8](repeating: 0x61, count: AdministrationReply.longestList),
      checkpoint: [])
    let encodedLong = Self.packet(.auditLog([long], isEnd: true))
    let longest = try #require(encodedLong)
    #expect(Self.copied(longest) == longest)
  }
}
