import Synchronization

/// Turns for something that only a few may do at the same time: the TLS handshakes at one port, and the requests at the
/// decision service.
///
/// When thousands of hosts connect at the same moment, the handshakes together take longer than any of the hosts
/// waits. If all of them took place at the same time, none would end before its host gives up, and the hosts would
/// begin again and again. So only a few take place at the same time, and each of these ends soon.
///
/// MUST 1: there are at most `most` turns at the same time, and at most half of them, rounded up, are those of one
/// address or host. (`HandshakeTurnsTests.most`, `.half`, `DecisionPlacesTests.limits`)
/// MUST 2: the addresses that wait get turns in rotation, so that no number of connections from one address
/// delays another address. Connections from one address get turns in the order in which they asked.
/// (`HandshakeTurnsTests.rotation`, `.order`)
/// MUST 3: what ends while it waits gets no turn, and is not kept. (`HandshakeTurnsTests.ended`,
/// `DecisionPlacesTests.cancelled`)
package final class FairTurns: Sendable {
  private let most: Int
  private let mostPerAddress: Int
  private let state = Mutex(State())

  private struct State {
    var taken = 0
    var waiting = 0
    var lines: [[UInt8]: Line] = [:]
    /// The addresses that wait and may have another turn, in the order in which they get it.
    var rotation = TurnQueue<[UInt8]>()
  }

  /// What waits or has a turn, for one address.
  private struct Line {
    var taken = 0
    var waiting = TurnQueue<Waiting>()
    /// Whether the address is in the rotation.
    var isInRotation = false
  }

  fileprivate struct Waiting {
    let turn: FairTurn
    let begin: @Sendable () -> Void
  }

  /// Creates this number of turns.
  package init(_ most: Int) {
    self.most = most
    mostPerAddress = max((most + 1) / 2, 1)
  }

  /// The number of connections that have a turn.
  package var taken: Int { state.withLock { $0.taken } }

  /// The number of connections that wait for a turn.
  package var waiting: Int { state.withLock { $0.waiting } }

  /// Asks for a turn for a connection from an address. Calls `begin` when the connection has its turn: before this
  /// function returns, or later from any thread.
  package func take(
    from address: [UInt8], _ begin: @escaping @Sendable () -> Void
  ) -> FairTurn {
    let turn = FairTurn(self, address)
    let begun = state.withLock { state -> [Waiting] in
      let number = state.lines[address, default: Line()].waiting.append(
        Waiting(turn: turn, begin: begin))
      turn.state.withLock { $0 = .waiting(number) }
      state.waiting += 1
      rotate(address, in: &state)
      return advance(in: &state)
    }
    for waiting in begun { waiting.begin() }
    return turn
  }

  /// Waits for a turn for a host. Returns nil if the task is cancelled first.
  package func take(for host: String) async -> FairTurn? {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let turn = take(from: Array(host.utf8)) { begin.yield() }
    for await _ in begun { return turn }
    turn.end()
    return nil
  }

  fileprivate func end(_ turn: FairTurn) {
    let address = turn.address
    let begun = state.withLock { state -> [Waiting] in
      switch turn.state.withLock({ state in
        defer { state = .ended }
        return state
      }) {
      case .waiting(let number):
        state.lines[address]?.waiting.remove(number)
        state.waiting -= 1
      case .taken:
        state.lines[address]?.taken -= 1
        state.taken -= 1
      case .ended: return []
      }
      rotate(address, in: &state)
      return advance(in: &state)
    }
    for waiting in begun { waiting.begin() }
  }

  /// Adds an address to the rotation if it waits and may have another turn. Forgets an address without
  /// connections.
  private func rotate(_ address: [UInt8], in state: inout State) {
    guard var line = state.lines[address], !line.isInRotation else { return }
    guard line.waiting.count > 0 || line.taken > 0 else {
      state.lines[address] = nil
      return
    }
    guard line.waiting.count > 0, line.taken < mostPerAddress else { return }
    line.isInRotation = true
    state.lines[address] = line
    _ = state.rotation.append(address)
  }

  /// Takes those out of the lines whose turn has come.
  private func advance(in state: inout State) -> [Waiting] {
    var begun: [Waiting] = []
    while state.taken < most, let address = state.rotation.removeFirst() {
      state.lines[address]?.isInRotation = false
      if let waiting = state.lines[address]?.waiting.removeFirst() {
        waiting.turn.state.withLock { $0 = .taken }
        state.lines[address]?.taken += 1
        state.taken += 1
        state.waiting -= 1
        begun.append(waiting)
      }
      rotate(address, in: &state)
    }
    return begun
  }
}

/// The turn of one connection, which it has or waits for.
package final class FairTurn: Sendable {
  private let turns: FairTurns
  fileprivate let address: [UInt8]
  fileprivate let state = Mutex(State.ended)

  fileprivate enum State {
    /// The number in the line of the address.
    case waiting(Int)
    case taken
    case ended
  }

  fileprivate init(_ turns: FairTurns, _ address: [UInt8]) {
    self.turns = turns
    self.address = address
  }

  /// Gives the turn back, or stops waiting for it.
  package func end() { turns.end(self) }
}

/// A queue whose operations take constant time on average.
struct TurnQueue<Element> {
  private var elements: [Int: Element] = [:]
  private var first = 0
  private var last = 0

  var count: Int { elements.count }

  /// Appends an element, and returns its number.
  mutating func append(_ element: Element) -> Int {
    defer { last += 1 }
    elements[last] = element
    return last
  }

  /// Removes the element with this number, if it is still there.
  mutating func remove(_ number: Int) { elements[number] = nil }

  /// Removes the first element, and returns it.
  mutating func removeFirst() -> Element? {
    while first < last {
      defer { first += 1 }
      if let element = elements.removeValue(forKey: first) { return element }
    }
    return nil
  }
}
