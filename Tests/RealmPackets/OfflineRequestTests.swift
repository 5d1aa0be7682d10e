import MFABase
import MFARealm
import MFAWire
import Testing

@Suite("Requests about outages")
struct OfflineRequestTests {
  private static let requests: [OfflineRequest.Subject] = [
    .permit(nonce: [UInt8](repeating: 1, count: 16), facts: [2, 3]), .renewal(tokens: []),
    .renewal(tokens: [[1], [2, 3]]), .report([4]),
  ]

  @Test("a request parses to an equal value, and no part of it parses", arguments: requests)
  func request(_ subject: OfflineRequest.Subject) throws {
    let request = OfflineRequest(host: Array("web1".utf8), serial: [7], subject)
    guard let packet = VerifierRequest.offline(request).packet() else {
      Issue.record("the fields are too long")
      return
    }
    let bytes = packet.span.copied()
    switch try VerifierRequest.read(bytes.span) {
    case .offline(let read): #expect(read == request)
    default: Issue.record("another request")
    }
    for count in 0..<bytes.count {
      #expect(throws: PacketError.self) {
        _ = try VerifierRequest.read(bytes.span.part(from: 0, count: count))
      }
    }
  }

  @Test(
    "a reply parses to an equal value, and no part of it parses",
    arguments: [
      OfflineReply.permits([]), .permits([[1], []]),
      .position(number: 5, chain: [UInt8](repeating: 1, count: 32)), .later(seconds: 3600),
    ])
  func reply(_ reply: OfflineReply) throws {
    guard let packet = VerifierReply.offline(reply).packet() else {
      Issue.record("the fields are too long")
      return
    }
    let bytes = packet.span.copied()
    #expect(try VerifierReply(bytes.span) == .offline(reply))
    for count in 0..<bytes.count {
      #expect(throws: PacketError.self) {
        _ = try VerifierReply(bytes.span.part(from: 0, count: count))
      }
    }
  }
}
