import Dispatch
import MFAWire
import MFABase
import Synchronization

/// One end of a local connection that keeps the boundaries of packets, for tasks: it waits without
/// occupying a thread.
///
/// MUST 1: `close` closes the connection at once, also while another task waits for a packet. (`PacketChannelTests`)
///
/// `@unchecked`: all changeable state is in the mutex, and the methods of the source can be called from any
/// thread.
package final class PacketChannel: @unchecked Sendable {
  private let source: any DispatchSourceRead
  private let state: Mutex<State>

  private struct State {
    /// Nil after the connection was closed.
    var connection: PacketConnection?
    /// The task that waits. The source is active only while there is one.
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// The queue of all sources. Its work is to wake tasks.
  private static let queue = DispatchQueue(label: "packets")

  /// The longest packet, in bytes.
  package static var longest: Int { Coder.longest }

  /// Takes over a connection. It stays open after `close` for as long as something else refers to it.
  package init(_ connection: PacketConnection) {
    source = DispatchSource.makeReadSource(
      fileDescriptor: connection.descriptorNumber, queue: Self.queue)
    state = Mutex(State(connection: connection))
    source.setEventHandler { [weak self] in self?.wake() }
    // The descriptor must stay open until the source has ended.
    source.setCancelHandler { _ = connection }
  }

  deinit { close() }

  /// Closes the connection.
  package func close() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.connection != nil else { return nil }
      state.connection = nil
      let waiter = state.waiter
      state.waiter = nil
      source.cancel()
      // A source that is not active does not end.
      if waiter == nil { source.resume() }
      return waiter
    }
    waiter?.resume()
  }

  /// Waits for the next packet or the end of the connection. Returns `silent` if the task was cancelled,
  /// or if this end was closed.
  package func arrival() async throws(SystemError) -> PacketConnection.Arrival {
    while !Task.isCancelled {
      guard let arrival = try pending() else { return .silent }
      guard arrival == .silent else { return arrival }
      await wait()
    }
    return .silent
  }

  /// Receives the packet that arrived, and its sender. Returns nil if it is longer than a packet may be.
  package func take(from sender: inout Peer) throws(SystemError) -> PacketBytes? {
    var received: PacketBytes?
    var from = sender
    try withConnection { connection throws(SystemError) in
      switch try connection.receive(seconds: 0, sender: &from) {
      case .packet(let packet): received = PacketBytes(packet)
      case .ended: return
      case .unread: return
      case .silent: return
      case .tooLong: return
      }
    }
    sender = from
    return received
  }

  /// Receives the packet that arrived.
  package func take() throws(SystemError) -> PacketBytes? {
    var sender = Peer(process: 0, user: .max)
    return try take(from: &sender)
  }

  /// Sends a packet. Throws EAGAIN if the other end does not read.
  package func send(_ packet: PacketBytes) throws(SystemError) {
    try withConnection { connection throws(SystemError) in
      try packet.withSpan { bytes throws(SystemError) in try connection.send(bytes) }
    }
  }

  private func pending() throws(SystemError) -> PacketConnection.Arrival? {
    var arrival: PacketConnection.Arrival?
    do throws(SystemError) {
      try withConnection { connection throws(SystemError) in
        arrival = try connection.nextPacket(seconds: 0)
      }
    } catch {
      guard error.isBrokenPipe else { throw error }
    }
    return arrival
  }

  /// Calls `body` with the connection. Throws EPIPE if it was closed.
  private func withConnection(
    _ body: (PacketConnection) throws(SystemError) -> Void
  ) throws(SystemError) {
    guard let connection = state.withLock({ $0.connection }) else { throw .closed(.read) }
    try body(connection)
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state -> Bool in
          guard state.connection != nil, state.waiter == nil, !Task.isCancelled else {
            return false
          }
          state.waiter = continuation
          source.resume()
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      wake()
    }
  }

  private func wake() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let waiter = state.waiter else { return nil }
      state.waiter = nil
      source.suspend()
      return waiter
    }
    waiter?.resume()
  }
}
