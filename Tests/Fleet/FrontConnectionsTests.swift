import Synchronization
import Testing

@testable import MFAFront

@Suite("Connections to the front")
struct FrontConnectionsTests {
  private static func connections(
    most: Int = 10, handshaking: Int = 10, perHost: Int = 10
  ) -> FrontConnections {
    FrontConnections(
      FrontConnections.Limits(most: most, mostHandshaking: handshaking, mostPerHost: perHost))
  }

  @Test("a port has no more connections than its limit")
  func most() throws {
    let connections = Self.connections(most: 2)
    let first = try #require(connections.begin())
    #expect(first.complete("a"))
    #expect(connections.begin() != nil)
    #expect(connections.begin() == nil)
    first.end()
    first.end()
    #expect(connections.open == 1)
    #expect(connections.begin() != nil)
    #expect(connections.begin() == nil)
  }

  @Test("after the stop, new connections are refused, and open ones stay open")
  func stopped() throws {
    let connections = Self.connections()
    let connection = try #require(connections.begin())
    connections.stop()
    #expect(connections.begin() == nil)
    #expect(connection.complete("a"))
    #expect(connections.open == 1)
    connection.end()
    #expect(connections.open == 0)
  }

  @Test("a handshake begins when an earlier one is complete or abandoned")
  func handshakes() throws {
    let connections = Self.connections(handshaking: 1)
    let begun = Atomic(0)
    func handshake() throws -> FrontConnection {
      let connection = try #require(connections.begin())
      connection.waitForTurn(from: [127, 0, 0, 1]) { begun.add(1, ordering: .relaxed) }
      return connection
    }
    let (first, second, third) = (try handshake(), try handshake(), try handshake())
    #expect(begun.load(ordering: .relaxed) == 1)
    #expect(first.complete(nil))
    #expect(begun.load(ordering: .relaxed) == 2)
    second.end()
    #expect(begun.load(ordering: .relaxed) == 3)
    #expect(third.complete("a"))
    #expect((connections.turns.taken, connections.turns.waiting) == (0, 0))
  }

  @Test("a connection that has ended takes no turn")
  func ended() throws {
    let connections = Self.connections(handshaking: 1)
    let first = try #require(connections.begin())
    first.end()
    first.waitForTurn(from: []) {}
    #expect(connections.turns.taken == 0)
  }

  @Test("a host has no more connections than its limit")
  func host() throws {
    let connections = Self.connections(perHost: 2)
    let first = try #require(connections.begin())
    #expect(first.complete("a"))
    #expect(try #require(connections.begin()).complete("a"))
    let third = try #require(connections.begin())
    #expect(!third.complete("a"))
    third.end()
    #expect(try #require(connections.begin()).complete("b"))
    first.end()
    #expect(try #require(connections.begin()).complete("a"))
    #expect(!(try #require(connections.begin()).complete("a")))
  }
}
