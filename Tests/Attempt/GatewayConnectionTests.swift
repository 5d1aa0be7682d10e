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
