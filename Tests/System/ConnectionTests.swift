import Glibc
import System
import TestSupport
import Testing

/// Each in a process of its own, whose connections are known.
@Suite("The other end of a connection")
struct ConnectionTests {
  /// An address of 127.0.0.0/8 as the kernel has it in IPv6.
  static func mapped(_ last: UInt128) -> UInt128 { 0xFFFF_7F00_0000 + last }

  @Test("no stream of IPv4 or IPv6 is no connection")
  func none() async {
    await #expect(processExitsWith: .success) {
      #expect(Connection.peer() == nil)
      #expect(OpenConnection.datagrams(to: "127.0.0.1") > 0)
      #expect(Connection.peer() == nil)
    }
  }

  @Test("IPv4, as often as it is there")
  func four() async {
    await #expect(processExitsWith: .success) {
      #expect(OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") > 0)
      #expect(Connection.peer() == ConnectionTests.mapped(2))
      #expect(OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") > 0)
      #expect(OpenConnection.datagrams(to: "127.0.0.7") > 0)
      #expect(Connection.peer() == ConnectionTests.mapped(2))
    }
  }

  @Test("IPv4 that came to a socket of IPv6 is IPv4")
  func fourBySix() async {
    await #expect(processExitsWith: .success) {
      #expect(OpenConnection.accept(at: "::ffff:127.0.0.1", as: "127.0.0.1", from: "127.0.0.3") > 0)
      #expect(Connection.peer() == ConnectionTests.mapped(3))
      #expect(OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3") > 0)
      #expect(Connection.peer() == ConnectionTests.mapped(3))
    }
  }

  @Test("IPv6")
  func six() async {
    await #expect(processExitsWith: .success) {
      #expect(OpenConnection.accept(at: "::1", from: "::1") > 0)
      #expect(Connection.peer() == 1)
    }
  }

  @Test("two addresses are none")
  func two() async {
    await #expect(processExitsWith: .success) {
      #expect(OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") > 0)
      #expect(OpenConnection.accept(at: "::1", from: "::1") > 0)
      #expect(Connection.peer() == nil)
    }
    await #expect(processExitsWith: .success) {
      #expect(OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") > 0)
      #expect(OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3") > 0)
      #expect(Connection.peer() == nil)
    }
  }

  @Test("of descriptors there are 64, and the connection may be the last free one of them")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      #expect(OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2", lowest: 64) >= 64)
      #expect(Connection.peer() == nil)
      // The test's own may be among them.
      let last = try #require((3...63).last { fcntl($0, F_GETFD) == -1 })
      #expect(OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3", lowest: last) == last)
      #expect(Connection.peer() == ConnectionTests.mapped(3))
    }
  }
}
