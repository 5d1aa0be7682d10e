import Glibc
import System
import TestSupport
import Testing

/// Each in a process of its own, whose connections are known.
@Suite("The other end of a connection")
struct ConnectionTests {
  /// An address of 127.0.0.0/8 as the kernel has it in IPv6.
  static func mapped(_ last: UInt128) -> UInt128 { 0xFFFF_7F00_0000 + last }

  /// What the other end is after each of these is open, one after the other, in a process that has no
  /// other; nil instead where one could not be opened.
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

  @Test("no stream of IPv4 or IPv6 is no connection")
  func none() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([{ 0 }, { OpenConnection.datagrams(to: "127.0.0.1") }])
      #expect(peers == [nil, nil])
    }
  }

  @Test("IPv4, as often as it is there")
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

  @Test("IPv4 that came to a socket of IPv6 is IPv4")
  func fourBySix() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "::ffff:127.0.0.1", as: "127.0.0.1", from: "127.0.0.3") },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3") },
      ])
      #expect(peers == [UInt128?](repeating: ConnectionTests.mapped(3), count: 2))
    }
  }

  @Test("IPv6")
  func six() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([{ OpenConnection.accept(at: "::1", from: "::1") }])
      #expect(peers == [1])
    }
  }

  @Test("two addresses are none")
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

  @Test("of descriptors there are 64, and the connection may be the last of them")
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
