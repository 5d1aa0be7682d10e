import Foundation
import MFARealmTransport
import MFABase
import Testing

@Suite("A channel of packets", .timeLimit(.minutes(20)))
struct PacketChannelTests {
  /// Two connected channels.
  private static func channels() throws -> (PacketChannel, PacketChannel) {
    let path = "/tmp/mfa-channel-\(UInt64.random(in: 0...UInt64.max))"
    let listener = try PacketListener(creating: Array(path.utf8), permissions: 0o600)
    let one = PacketChannel(try PacketConnection(to: Array(path.utf8)))
    let other = PacketChannel(try listener.accept())
    try FileManager.default.removeItem(atPath: path)
    return (one, other)
  }

  @Test("the other end learns that a channel was closed while the value exists")
  func closed() async throws {
    let (one, other) = try Self.channels()
    one.close()
    #expect(try await other.arrival() == .ended)
    withExtendedLifetime(one) {}
  }

  @Test("the other end learns that its packet was not read")
  func unread() async throws {
    let (one, other) = try Self.channels()
    try other.send(PacketBytes(copying: [1, 2, 3]))
    #expect(try await one.arrival() == .packet(3))
    one.close()
    #expect(try await other.arrival() == .unread)
    withExtendedLifetime(one) {}
  }

  @Test("a task that waits learns that its end was closed")
  func waiting() async throws {
    let (one, other) = try Self.channels()
    async let arrival = one.arrival()
    one.close()
    #expect(try await arrival == .silent)
    #expect(try await other.arrival() == .ended)
  }
}
