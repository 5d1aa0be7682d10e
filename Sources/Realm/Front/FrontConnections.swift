import Synchronization

/// The connections to one port of the front.
///
/// MUST 1: there are at most `most` connections, and at most `mostHandshaking` of them are in a handshake. The
/// others wait for their turn. (`FrontConnectionsTests.most`, `.handshakes`)
/// MUST 2: no host has more connections than `mostPerHost`. (`FrontConnectionsTests.host`)
/// MUST 3: after `stop`, new connections are refused, because NIO ends the process with an error if a connection is
/// accepted while the server shuts down. (`FrontConnectionsTests.stopped`; Tests/Fleet: `connections while stopping`)
package final class FrontConnections: Sendable {
  private let limits: Limits
  private let state = Mutex(State())
  /// The turns of the handshakes.
  package let turns: FairTurns

  /// The limits of a port.
  package struct Limits: Sendable {
    /// The number of connections.
    package var most: Int
    /// The number of handshakes at the same time.
    package var mostHandshaking: Int
    /// The number of connections of a host.
    package var mostPerHost: Int
  }

  private struct State {
    var open = 0
    var byHost: [String: Int] = [:]
    var isStopped = false
  }

  /// Creates a value without connections.
  package init(_ limits: Limits) {
    self.limits = limits
    turns = FairTurns(limits.mostHandshaking)
  }

  /// The number of connections.
  package var open: Int { state.withLock { $0.open } }

  /// Refuses new connections from now on. Open connections stay open.
  package func stop() { state.withLock { $0.isStopped = true } }

  /// Counts a new connection. Returns nil, and counts nothing, if there are too many connections, or after `stop`.
  package func begin() -> FrontConnection? {
    let isCounted = state.withLock { state -> Bool in
      guard !state.isStopped, state.open < limits.most else { return false }
      state.open += 1
      return true
    }
    return isCounted ? FrontConnection(self) : nil
  }

  fileprivate func complete(_ host: String?) -> Bool {
    guard let host else { return true }
    return state.withLock { state in
      let own = state.byHost[host] ?? 0
      guard own < limits.mostPerHost else { return false }
      state.byHost[host] = own + 1
      return true
    }
  }

  fileprivate func end(_ host: String?) {
    state.withLock { state in
      state.open -= 1
      guard let host else { return }
      let left = (state.byHost[host] ?? 1) - 1
      state.byHost[host] = left > 0 ? left : nil
    }
  }
}

/// One connection that is counted.
package final class FrontConnection: Sendable {
  private let connections: FrontConnections
  private let state = Mutex(State())

  private struct State {
    var host: String?
    var isComplete = false
    var hasEnded = false
    var turn: FairTurn?
  }

  fileprivate init(_ connections: FrontConnections) { self.connections = connections }

  /// Asks for the turn of the handshake, for a connection from an address. Calls `begin` when the turn has come,
  /// from any thread.
  package func waitForTurn(
    from address: [UInt8], _ begin: @escaping @Sendable () -> Void
  ) {
    let turn = connections.turns.take(from: address, begin)
    let isOver = state.withLock { state in
      guard !state.isComplete, !state.hasEnded, state.turn == nil else { return true }
      state.turn = turn
      return false
    }
    if isOver { turn.end() }
  }

  /// Records that the handshake is complete, and for which host; nil if the port asks for no certificate.
  /// Returns false if the host has too many connections.
  package func complete(_ host: String?) -> Bool {
    let isFirst = state.withLock { state in
      guard !state.isComplete, !state.hasEnded else { return false }
      state.isComplete = true
      return true
    }
    endTurn()
    guard isFirst, connections.complete(host) else { return false }
    state.withLock { $0.host = host }
    return true
  }

  /// Stops counting the connection.
  package func end() {
    let ended = state.withLock { state -> State? in
      guard !state.hasEnded else { return nil }
      state.hasEnded = true
      return state
    }
    guard let ended else { return }
    connections.end(ended.host)
    ended.turn?.end()
  }

  /// Gives the turn to the next connection, whether the handshake is complete or not.
  package func endTurn() {
    let turn = state.withLock { state in
      defer { state.turn = nil }
      return state.turn
    }
    turn?.end()
  }
}
