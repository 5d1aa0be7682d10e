import Testing

@testable import MFAAttempt

/// The MUSTs of GatewayReply.swift.
@Suite struct GatewayReplyTests {
  static let replies: [GatewayReply] =
    [
      .accepted, .notSet, .notStarted(13), .failed(1), .failed(255), .killed, .tookTooLong,
      .refused,
    ] + GatewayProgram.Refusal.allCases.map { .unusable($0) }

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
