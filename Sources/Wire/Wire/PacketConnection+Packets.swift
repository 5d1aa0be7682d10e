import MFABase

extension PacketConnection {
  /// The result of waiting for a packet.
  package enum Received: ~Copyable {
    case packet(SecretBytes)
    /// The other end has closed the connection.
    case ended
    /// The other end has closed the connection without reading all that this end sent.
    case unread
    /// The time ran out.
    case silent
    /// The packet is longer than any packet may be.
    case tooLong
  }

  /// Waits for a packet, `seconds` at most. `sender` is set to the process that sent it, if the
  /// listener of the connection receives senders.
  package func receive(seconds: Int64, sender: inout Peer) throws(SystemError) -> Received {
    switch try nextPacket(seconds: seconds) {
    case .ended: return .ended
    case .unread: return .unread
    case .silent: return .silent
    case .packet(let length):
      guard length <= Coder.longest else { return .tooLong }
      var packet = SecretBytes(count: length)
      var from = sender
      let count = try packet.withMutableSpan { span throws(SystemError) in
        try receive(into: &span, from: &from)
      }
      sender = from
      guard count == length else { return .tooLong }
      return .packet(packet)
    }
  }

  /// Waits for a packet, `seconds` at most.
  package func receive(seconds: Int64) throws(SystemError) -> Received {
    var sender = Peer(process: 0, user: .max)
    return try receive(seconds: seconds, sender: &sender)
  }
}
