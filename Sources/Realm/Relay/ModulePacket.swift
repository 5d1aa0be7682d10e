import Synchronization

/// The packet of the module that was forwarded to the verifier and is not consumed yet, if there is one. It stays in the
/// connection, where it is unread, until it is consumed.
///
/// MUST 1: a packet is forwarded once. While it is in the connection, it is outstanding. (`ModulePacketTests.consumed`)
final class ModulePacket: Sendable {
  private let state = Mutex(false)

  /// Whether a packet was forwarded and is not consumed yet. The next packet must not be looked for until then:
  /// the one that was forwarded would be found.
  var isOutstanding: Bool { state.withLock { $0 } }

  /// Records that a packet was forwarded.
  func forwarded() { state.withLock { $0 = true } }

  /// Consumes the packet that was forwarded, if there is one. `take` receives it.
  func consume(_ take: () -> Void) {
    guard isOutstanding else { return }
    take()
    state.withLock { $0 = false }
  }
}
