import Glibc
import MFABase
import MFATestSupport
import Testing

/// Each test runs in a separate process, whose connections are known.
@Suite("Peer addresses")
struct ConnectionTests {
  /// Returns an address of 127.0.0.0/8 as an IPv4-mapped IPv6 address.
  static func mapped(_ last: UInt128) -> UInt128 { 0xFFFF_7F00_0000 + last }

  /// Returns the peer address after each of these connections is opened, one after the other, in a
  /// process without other connections. Returns nil if one could not be opened.
  private static func peers(_ steps: [() -> Int32]) -> [UInt128?]? {
    OpenConnection.alone {
      var peers: [UInt128?] = []
      for step in steps {
        guard step() >= 0 else { return nil }
        peers.append(Connection.peer())
      }
      return peers
    }
  }

  @Test("without an IPv4 or IPv6 stream there is no peer address")
  func none() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([{ 0 }, { OpenConnection.datagrams(to: "127.0.0.1") }])
      #expect(peers == [nil, nil])
    }
  }

  @Test("several IPv4 connections from one address have that peer address")
  func four() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") },
        { OpenConnection.datagrams(to: "127.0.0.7") },
      ])
      #expect(peers == [UInt128?](repeating: ConnectionTests.mapped(2), count: 3))
    }
  }

  @Test("an IPv4 connection to an IPv6 socket has an IPv4 peer address")
  func fourBySix() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "::ffff:127.0.0.1", as: "127.0.0.1", from: "127.0.0.3") },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3") },
      ])
      #expect(peers == [UInt128?](repeating: ConnectionTests.mapped(3), count: 2))
    }
  }

  @Test("an IPv6 connection has an IPv6 peer address")
  func six() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([{ OpenConnection.accept(at: "::1", from: "::1") }])
      #expect(peers == [1])
    }
  }

  @Test("connections from two addresses have no peer address")
  func two() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") },
        { OpenConnection.accept(at: "::1", from: "::1") },
      ])
      #expect(peers == [ConnectionTests.mapped(2), nil])
    }
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3") },
      ])
      #expect(peers == [ConnectionTests.mapped(2), nil])
    }
  }

  @Test("the first 64 descriptors are examined")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2", lowest: 64) },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3", lowest: 63) },
      ])
      #expect(peers == [nil, ConnectionTests.mapped(3)])
    }
  }
}
