import Testing

@testable import MFAVerifierFront

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

  @Test("handshakes have a limit of their own")
  func handshakes() throws {
    let connections = Self.connections(handshaking: 1)
    let first = try #require(connections.begin())
    #expect(connections.begin() == nil)
    #expect(first.complete(nil))
    let second = try #require(connections.begin())
    // An abandoned handshake frees its place.
    second.end()
    #expect(connections.begin() != nil)
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
