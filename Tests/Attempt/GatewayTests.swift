import Foundation
import MFABase
import MFATestSupport
import Testing

@testable import MFAAttempt

/// The MUSTs of GatewayConnection.
@Suite struct GatewayConnectionTests {
  private let path = Array("/tmp/mfa-gateway-\(UUID().uuidString)".utf8)

  private func send(owner: UInt32 = getuid(), patience: Int64 = 1) throws -> GatewayReply {
    let message = GatewayMessage(
      to: Array("+15105551234".utf8).span, id: SendID(number: 1), expires: 1_801_386_359,
      text: Array("123456".utf8).span)
    guard let message else { throw HarnessFailure("the message is invalid") }
    return GatewayConnection(path: path, patience: patience, owner: owner).send(message)
  }

  /// Listens, and answers one message with a packet; with nil, not at all.
  private func withService<Result>(
    _ packet: [UInt8]?, _ body: () throws -> Result
  ) throws -> Result {
    let listener = try PacketListener(creating: path, permissions: 0o600)
    defer {
      do {
        try FileManager.default.removeItem(atPath: String(decoding: path, as: UTF8.self))
      } catch {}
    }
    let thread = Thread {
      do {
        let connection = try listener.accept()
        _ = try connection.nextPacket(seconds: 60)
        var bytes = [UInt8](repeating: 0, count: 4096)
        var span = bytes.mutableSpan
        var sender = Peer(process: 0, user: 0)
        _ = try connection.receive(into: &span, from: &sender)
        if let packet { try connection.send(packet.span) }
        // Keeps the connection open until the client closes it.
        _ = try connection.nextPacket(seconds: 60)
      } catch {}
    }
    thread.start()
    return try body()
  }

  @Test(arguments: [
    ([0xA5, 0], GatewayReply.accepted), ([4, 3], .failed(3)), ([0xA5], .noReply),
    ([0xA5, 0, 0], .noReply), ([0, 0], .noReply),
  ])
  func replyIsThatOfTheService(packet: [UInt8], reply: GatewayReply) throws {
    #expect(try withService(packet) { try send() } == reply)
  }

  @Test func silentServiceIsGivenUp() throws {
    #expect(try withService(nil) { try send() } == .noReply)
  }

  @Test func missingSocketIsNoService() throws {
    #expect(try send() == .noService)
  }

  /// A socket that another user has created gets no message.
  @Test func listenerOfAnotherUserGetsNothing() throws {
    #expect(try withService([0xA5, 0]) { try send(owner: getuid() + 1) } == .noService)
  }
}

/// The MUSTs of GatewayMessage.swift.
@Suite struct GatewayMessageTests {
  private static let id = SendID(number: 0x0123_4567_89AB_CDEF)

  /// Returns the message as text, or nil if it is refused.
  private func message(
    _ number: String = "+15105551234", expires: Int64 = 1_801_386_359, text: [UInt8]
  ) -> String? {
    guard
      let message = GatewayMessage(
        to: Array(number.utf8).span, id: Self.id, expires: expires, text: text.span)
    else { return nil }
    var bytes: [UInt8] = []
    for index in message.span.indices { bytes.append(message.span[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func messageHasAHeadAndTheText() {
    #expect(
      message(text: Array("123456 \u{3042}".utf8))
        == "To: +15105551234\nId: 0123456789abcdef\nExpires: 2027-01-31T09:05:59Z\n\n"
        + "123456 \u{3042}\n")
  }

  @Test(arguments: [
    "", "+", "15105551234", "+1510555", "+1234567890123456", "+05105551234", "+1510555123x",
    "+1 5105551234", "+15105551234\nBcc: x", "\u{FF0B}15105551234",
  ])
  func numberOfAnotherFormIsRefused(number: String) {
    #expect(message(number, text: [0x61]) == nil)
  }

  @Test(arguments: ["+15105551", "+123456789012345"])
  func shortestAndLongestNumberAreAccepted(number: String) {
    #expect(message(number, text: [0x61])?.hasPrefix("To: \(number)\n") == true)
  }

  @Test(arguments: [
    [], Array("a\u{1B}b".utf8), Array("a\rb".utf8), Array("a\tb".utf8), [0], [0x7F],
    Array("\u{85}".utf8), [0xC3], [0xFF], [UInt8](repeating: 0x61, count: 1001),
  ])
  func textOfAnotherFormIsRefused(text: [UInt8]) {
    #expect(message(text: text) == nil)
  }

  @Test func lineFeedsAndLongTextsAreAccepted() {
    #expect(message(text: Array("a\nb".utf8))?.hasSuffix("\n\na\nb\n") == true)
    #expect(message(text: [UInt8](repeating: 0x61, count: 1000)) != nil)
  }

  @Test(arguments: [-1, Int64.max])
  func timeWithoutATextIsRefused(time: Int64) {
    #expect(message(expires: time, text: [0x61]) == nil)
  }

  @Test(arguments: ["a", "a\nb", "\n", "a\n\n", "123456 \u{3042}"])
  func messageIsReadBack(text: String) throws {
    let whole = try #require(message(text: Array(text.utf8)))
    let bytes = Array(whole.utf8)
    guard let read = GatewayMessage(bytes.span) else {
      Issue.record("the message is refused: \(whole)")
      return
    }
    #expect(read.id == Self.id)
    #expect(read.span.count == bytes.count)
  }

  /// Whatever is changed, the message is refused, or is another message of the same form.
  @Test func noPrefixOfAMessageIsRead() throws {
    let bytes = Array(try #require(message(text: Array("123456".utf8))).utf8)
    for count in 0..<(bytes.count - 7) {
      let isRead = GatewayMessage(Array(bytes.prefix(count)).span) != nil
      #expect(!isRead, "\(count)")
    }
  }

  @Test(arguments: ["0123456789abcdef", "0000000000000000", "ffffffffffffffff"])
  func identifierIsReadBack(text: String) {
    #expect(SendID(Array(text.utf8))?.text == Array(text.utf8))
  }

  @Test(arguments: [
    "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "g123456789abcdef",
  ])
  func identifierOfAnotherFormIsRefused(text: String) {
    #expect(SendID(Array(text.utf8)) == nil)
  }
}

/// The MUSTs of GatewayRefusal.swift.
@Suite("The program of a gateway", .privateMachine)
struct GatewayProgramTests {
  @Test(
    "only a program that nobody but root can have written is trusted",
    arguments: [
      (1, ":", nil),
      (2, "chmod 0700 outer/send", nil),
      (3, "chmod 0775 outer/send", .writableByOthers),
      (4, "chmod 0757 outer/send", .writableByOthers),
      (5, "chmod 0644 outer/send", .notExecutable),
      (6, "chown 1 outer/send", .wrongOwner),
      (7, "rm outer/send", .notFound),
      (8, "rm -r outer", .notFound),
      (9, "mv outer/send outer/x; ln -s x outer/send", .notARegularFile),
      (10, "rm outer/send; mkfifo outer/send", .notARegularFile),
      (11, "rm outer/send; mkdir outer/send", .notARegularFile),
      (12, "mv outer real; ln -s real outer", .notReadable),
      (13, "chmod 0777 outer", .directoryWritableByOthers),
      (14, "chmod 01777 outer", .directoryWritableByOthers),
      (15, "chmod 0775 .", .directoryWritableByOthers),
      (16, "chown 1 outer", .directoryOwner),
      (17, "chown 1 .", .directoryOwner),
    ] as [(Int, String, GatewayRefusal?)])
  func trust(number: Int, script: String, refusal: GatewayRefusal?) throws {
    let folder = "/var/lib/mfa-program-\(UUID().uuidString)"
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    try Command.succeed([
      "/bin/sh", "-ec",
      "mkdir -m 0755 -p $0/outer; cd $0; echo >outer/send; chmod 0755 outer outer/send; \(script)",
      folder,
    ])
    #expect(GatewayRefusal.of(Array("\(folder)/outer/send".utf8)) == refusal, "row \(number)")
  }

  @Test(arguments: ["", "send", "/", "/a/../b", "//a"])
  func pathMustBeAbsolute(path: String) {
    #expect(GatewayRefusal.of(Array(path.utf8)) == .notAPath)
  }
}

/// The MUSTs of GatewayReply.swift.
@Suite struct GatewayReplyTests {
  static let replies: [GatewayReply] =
    [
      .accepted, .notSet, .notStarted(13), .failed(1), .failed(255), .killed, .tookTooLong,
      .refused,
    ] + GatewayRefusal.allCases.map { .unusable($0) }

  @Test(arguments: replies)
  func packetIsReadBack(reply: GatewayReply) {
    #expect(GatewayReply(packet: reply.packet.span) == reply)
  }

  @Test func eachReplyHasOnePacket() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let packet = [first, second]
        let reply = GatewayReply(packet: packet.span)
        #expect(reply == .noReply || reply.packet == packet, "\(packet)")
      }
    }
  }

  @Test func onlyOnePacketIsAccepted() {
    var accepted: [[UInt8]] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let packet = [first, second]
        if GatewayReply(packet: packet.span) == .accepted { accepted.append(packet) }
      }
    }
    #expect(accepted == [GatewayReply.accepted.packet])
    for packet in [[], [0xA5], [0xA5, 0, 0]] as [[UInt8]] {
      #expect(GatewayReply(packet: packet.span) == .noReply)
    }
  }

  /// A client that has no reply does not send one that looks like another.
  @Test(arguments: [GatewayReply.noService, .noReply])
  func clientResultIsNeverAccepted(reply: GatewayReply) {
    #expect(GatewayReply(packet: reply.packet.span) == .refused)
  }

  @Test func eachReplyHasItsOwnName() {
    let replies = Self.replies.filter { $0 != .failed(255) } + [.noService, .noReply]
    #expect(Set(replies.map { "\($0.name)" }).count == replies.count)
  }
}
