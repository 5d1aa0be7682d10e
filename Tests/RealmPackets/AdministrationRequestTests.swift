import MFAAttempt
import MFAModel
import MFARealm
import MFAWire
import Testing

/// MUST 1 of AdministrationRequest.swift.
@Suite("Requests of administrators")
struct AdministrationRequestTests {
  private static func bytes(_ text: String) -> [UInt8] { FactSamples.bytes(text) }

  private static let commands: [AdministrationCommand] =
    [
      .inspect, .hosts(after: []), .hosts(after: bytes("web1")),
      .newHostTicket(host: bytes("web1"), groups: [bytes("web"), bytes("all")]),
      .revokeHost(bytes("web1")), .realm, .users(after: bytes("alice")), .user(bytes("alice")),
      .renameUser(bytes("alice"), to: bytes("alicia")), .auditLog(after: 17), .auditLogEnd,
      .importUser(userImport(isTrial: true)), .importUser(userImport(isTrial: false)),
      .undoImport(undo(isTrial: true)), .undoImport(undo(isTrial: false)),
    ] + Samples.changes.map { .change(bytes("alice"), $0) }

  private static func userImport(isTrial: Bool) -> AdministrationImport {
    var user = AdministrationImport(
      user: bytes("alice"), record: bytes("record"), attempts: bytes("attempts"),
      secrets: SecretList.empty.adding(bytes("secret").span) ?? .empty,
      number: [UInt8](repeating: 3, count: 16))
    user.earlierFactors = [[UInt8](repeating: 5, count: 16)]
    user.hadAttempts = true
    user.choice = .take
    user.isTrial = isTrial
    return user
  }

  private static func undo(isTrial: Bool) -> AdministrationUndo {
    let id = FactorID(bytes: [UInt8](repeating: 5, count: 16)) ?? .zero
    return AdministrationUndo(
      user: bytes("alice"),
      imported: ImportUndo.Marks(
        factors: [FactorImport(id, .added, mark: [1, 2])], recoveryCodes: [3]),
      isTrial: isTrial, number: [UInt8](repeating: 3, count: 16))
  }

  private static func packet(_ request: AdministrationRequest) -> [UInt8]? {
    guard let packet = request.packet() else { return nil }
    return packet.span.copied()
  }

  private static func read(_ packet: [UInt8]) -> AdministrationRequest? {
    do throws(PacketError) { return try AdministrationRequest(packet.span) } catch { return nil }
  }

  private static func request(
    _ command: AdministrationCommand, by name: [UInt8] = bytes("carol"), at terminal: [UInt8] = []
  ) -> AdministrationRequest {
    AdministrationRequest(administrator: name, terminal: terminal, command)
  }

  @Test("every request parses to an equal request, and no other bytes parse", arguments: commands)
  func everyRequestParses(command: AdministrationCommand) throws {
    let request = Self.request(command, at: Self.bytes("pts/3"))
    let packet = try #require(Self.packet(request))
    #expect(Self.read(packet) == request)
    let begins = AdministrationRequest.begins(packet.span)
    #expect(begins)
    for damaged in Damage.all(of: packet) {
      guard let read = Self.read(damaged) else { continue }
      #expect(Self.packet(read) == damaged)
    }
  }

  @Test("an unknown command is named, so that an older verifier can say so")
  func unknownCommand() throws {
    var packet = try #require(Self.packet(Self.request(.inspect)))
    packet[packet.count - 1] = 250
    let changed = packet
    #expect(throws: PacketError.unknownKind(250)) { _ = try AdministrationRequest(changed.span) }
  }

  @Test("names and ids that are too long, empty or cut are refused")
  func limits() throws {
    let long = [UInt8](repeating: 0x61, count: 256)
    for request in [
      Self.request(.inspect, by: long), Self.request(.inspect, at: long), Self.request(.user(long)),
      Self.request(.user([])), Self.request(.change([], .unlock)),
      Self.request(.renameUser(Self.bytes("alice"), to: [])),
      Self.request(
        .newHostTicket(
          host: Self.bytes("web1"), groups: [[UInt8]](repeating: [0x61], count: 17))),
    ] {
      let packet = try #require(Self.packet(request))
      #expect(Self.read(packet) == nil)
    }
  }

  @Test("only changes may not be repeated")
  func changes() {
    let repeatable = Self.commands.filter { !$0.isChange }
    #expect(
      repeatable == [
        .inspect, .hosts(after: []), .hosts(after: Self.bytes("web1")), .realm,
        .users(after: Self.bytes("alice")), .user(Self.bytes("alice")), .auditLog(after: 17),
        .auditLogEnd, .importUser(Self.userImport(isTrial: true)),
        .undoImport(Self.undo(isTrial: true)),
      ])
  }
}
