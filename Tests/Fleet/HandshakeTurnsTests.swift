import Synchronization
import Testing

@testable import MFAFront

@Suite("Turns of handshakes")
struct HandshakeTurnsTests {
  /// Connections that record when their turns begin.
  private final class Connections: Sendable {
    let turns: FairTurns
    private let record = Mutex<[String]>([])

    init(most: Int) { turns = FairTurns(most) }

    /// The connections whose turns have begun, in order.
    var begun: [String] { record.withLock { $0 } }

    func take(_ name: String, from address: String) -> FairTurn {
      turns.take(from: Array(address.utf8)) { self.record.withLock { $0.append(name) } }
    }
  }

  @Test("a port has no more turns than its limit")
  func most() {
    let connections = Connections(most: 2)
    let first = connections.take("1", from: "a")
    let second = connections.take("2", from: "b")
    let third = connections.take("3", from: "c")
    #expect(connections.begun == ["1", "2"])
    #expect((connections.turns.taken, connections.turns.waiting) == (2, 1))
    first.end()
    first.end()
    #expect(connections.begun == ["1", "2", "3"])
    second.end()
    third.end()
    #expect((connections.turns.taken, connections.turns.waiting) == (0, 0))
  }

  @Test("an address has no more than half of the turns")
  func half() {
    let connections = Connections(most: 3)
    let turns = (1...3).map { connections.take("\($0)", from: "a") }
    #expect(connections.begun == ["1", "2"])
    let other = connections.take("other", from: "b")
    #expect(connections.begun == ["1", "2", "other"])
    other.end()
    #expect(connections.begun == ["1", "2", "other"])
    turns[0].end()
    #expect(connections.begun == ["1", "2", "other", "3"])
  }

  @Test("addresses get turns in rotation")
  func rotation() {
    let connections = Connections(most: 1)
    let busy = connections.take("busy", from: "z")
    let turns = ["a1", "a2", "a3", "b1", "c1", "b2"].map { name in
      connections.take(name, from: String(name.prefix(1)))
    }
    busy.end()
    for name in ["a1", "b1", "c1", "a2", "b2", "a3"] {
      #expect(connections.begun.last == name)
      let index = ["a1", "a2", "a3", "b1", "c1", "b2"].firstIndex(of: name) ?? 0
      turns[index].end()
    }
    #expect((connections.turns.taken, connections.turns.waiting) == (0, 0))
  }

  @Test("connections from one address get turns in order")
  func order() {
    let connections = Connections(most: 1)
    let turns = (0..<100).map { connections.take("\($0)", from: "a") }
    for (number, turn) in turns.enumerated() {
      #expect(connections.begun == (0...number).map { "\($0)" })
      turn.end()
    }
  }

  @Test("a connection that ends while it waits gets no turn")
  func ended() {
    let connections = Connections(most: 1)
    let first = connections.take("1", from: "a")
    let second = connections.take("2", from: "b")
    let third = connections.take("3", from: "b")
    second.end()
    #expect((connections.turns.taken, connections.turns.waiting) == (1, 1))
    first.end()
    #expect(connections.begun == ["1", "3"])
    third.end()
    #expect((connections.turns.taken, connections.turns.waiting) == (0, 0))
  }
}
