import MFACPOSIX

/// The user and process at the other end of a local connection, as the kernel reports them
/// (SO_PEERCRED, unix(7)).
package struct Peer: Equatable, Sendable {
  /// The process ID, as seen by this process; 0 if the process is not visible.
  package let process: Int32
  /// The effective user ID at the time of connect(2), or of listen(2) for a listener.
  package let user: UInt32

  /// Creates a value.
  package init(process: Int32, user: UInt32) {
    self.process = process
    self.user = user
  }
}

/// A local connection that keeps the boundaries of packets (SOCK_SEQPACKET, unix(7)). Destroying the
/// value closes it.
///
/// MUST 1: no call blocks for longer than its deadline. (`PacketConnectionTests.silence`)
/// MUST 2: a closed connection sends no signal to the process. (`PacketConnectionTests.closed`)
package final class PacketConnection: Sendable {
  private let descriptor: Int32

  /// The number of the descriptor, for a program that waits for several connections at once. It stays
  /// open as long as this object exists.
  package var descriptorNumber: Int32 { descriptor }

  /// What arrived, or why nothing arrived.
  package enum Arrival: Equatable, Sendable {
    /// A packet of this many bytes is waiting.
    case packet(Int)
    /// The other end has closed the connection.
    case ended
    /// The other end has closed the connection without reading all that this end sent.
    case unread
    /// The time ran out.
    case silent
  }

  /// Takes over an open descriptor.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Connects to the listener at `path`. Does not wait: throws EAGAIN if the listener's queue is
  /// full.
  ///
  /// Embedded Swift leaks an object whose designated initialiser throws. This convenience
  /// initialiser throws before the object exists.
  package convenience init(to path: [UInt8]) throws(SystemError) {
    let path = cString(path)
    let descriptor = try retrying(.connect) {
      // SAFETY: the path ends with a NUL and outlives the call.
      unsafe cposix_connect_packets(path)
    }
    self.init(descriptor: descriptor)
  }

  /// Creates two connections, each of which is the other end of the other.
  package static func pair() throws(SystemError) -> (PacketConnection, PacketConnection) {
    let both = try retrying(.connect) { cposix_packet_pair() }
    return (
      PacketConnection(descriptor: Int32(truncatingIfNeeded: both)),
      PacketConnection(descriptor: Int32(truncatingIfNeeded: both >> 32))
    )
  }

  /// The process at the other end.
  package func peer() throws(SystemError) -> Peer {
    var peer = cposix_credentials()
    // SAFETY: the call writes `peer`, which outlives it.
    _ = try retrying(.identity) { unsafe cposix_peer(descriptor, &peer) }
    return Peer(process: peer.process, user: peer.user)
  }

  /// Sends a packet. Throws EAGAIN if the other end does not read.
  package func send(_ bytes: Span<UInt8>) throws(SystemError) {
    let sent = try retrying(.write) {
      // SAFETY: the call reads at most the bytes of the span.
      unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe MFACPOSIX.send(
          descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
    }
    guard sent == bytes.count else { throw SystemError(.write, number: EIO) }
  }

  /// Sends a packet that tells the receiver this process's real user ID. The kernel verifies it.
  package func sendAsRealUser(_ bytes: Span<UInt8>) throws(SystemError) {
    let sent = try retrying(.write) {
      // SAFETY: the call reads at most the bytes of the span.
      unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe cposix_send_as(descriptor, buffer.baseAddress, buffer.count, getuid())
      }
    }
    guard sent == bytes.count else { throw SystemError(.write, number: EIO) }
  }

  /// Waits until a packet arrives, `seconds` at most.
  package func nextPacket(seconds: Int64) throws(SystemError) -> Arrival {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let deadline = try Clock.sinceBoot() &+ seconds
    while true {
      let left = max(deadline &- (try Clock.sinceBoot()), 0)
      // Waits one second at a time, so that signals that interrupt the wait do not extend it.
      // SAFETY: one structure, which outlives the call.
      let count = unsafe poll(&request, 1, left > 0 ? 1000 : 0)
      if count > 0 { break }
      guard count == 0 || cposix_errno() == EINTR else { throw SystemError.last(.poll) }
      guard left > 0 else { return .silent }
    }
    // If the other end closed the connection without reading everything, the first call reports only
    // that, and the next call returns what the other end had sent before.
    var end = Arrival.ended
    for _ in 0..<2 {
      do throws(SystemError) {
        let waiting = try retrying(.read) {
          // Returns the length of the packet.
          recv(descriptor, nil, 0, Int32(MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC))
        }
        // A packet of no bytes looks like the end; no message of a protocol is empty.
        return waiting > 0 ? .packet(waiting) : end
      } catch {
        guard error.isBrokenPipe else { throw error }
        end = .unread
      }
    }
    return end
  }

  /// Receives the packet that `nextPacket` reported, and its sender. Returns the length of the
  /// packet, which exceeds the span if the packet did not fit.
  ///
  /// The sender's user is a user ID that the sending process had and chose. If the sender is
  /// unknown, its process is 0 and its user `UInt32.max`, which is no user.
  package func receive(
    into bytes: inout MutableSpan<UInt8>, from sender: inout Peer
  ) throws(SystemError) -> Int {
    do throws(SystemError) {
      return try receiveOnce(into: &bytes, from: &sender)
    } catch {
      // The other end closed the connection without reading everything, which the kernel reports once,
      // before what the other end had sent.
      guard error.isBrokenPipe else { throw error }
      return try receiveOnce(into: &bytes, from: &sender)
    }
  }

  private func receiveOnce(
    into bytes: inout MutableSpan<UInt8>, from sender: inout Peer
  ) throws(SystemError) -> Int {
    var credentials = cposix_credentials()
    let count = try retrying(.read) {
      // SAFETY: the call writes at most the bytes of the span, and `credentials`, which outlives it.
      unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        unsafe cposix_receive_from(descriptor, buffer.baseAddress, buffer.count, &credentials)
      }
    }
    sender = Peer(process: credentials.process, user: credentials.user)
    return count
  }
}

/// A socket that accepts local connections. It stays open until the process ends.
package struct PacketListener: Sendable {
  private let descriptor: Int32

  /// The number of connections that wait to be accepted. The kernel may lower it (somaxconn).
  private static var backlog: Int32 { 4096 }

  /// Takes over a descriptor that the service manager passed.
  package init(descriptor: Int32) throws(SystemError) {
    self.descriptor = descriptor
    _ = try retrying(.open) { cposix_receive_senders(descriptor) }
  }

  /// Creates a socket file at `path` with these permissions, in place of an earlier one, and
  /// listens. With `group`, the file belongs to that group.
  package init(
    creating path: [UInt8], permissions: UInt32, group: UInt32? = nil
  ) throws(SystemError) {
    let path = cString(path)
    // SAFETY: the path ends with a NUL and outlives the calls.
    guard unsafe unlink(path) == 0 || cposix_errno() == ENOENT else {
      throw SystemError.last(.unlink)
    }
    // Only its owner can connect until the permissions are set.
    // SAFETY: as above.
    let descriptor = try retrying(.open) { unsafe cposix_bind_packets(path) }
    self = try PacketListener(descriptor: descriptor)
    _ = try retrying(.open) { listen(descriptor, Self.backlog) }
    if let group {
      // SAFETY: as above.
      _ = try retrying(.changeOwner) { unsafe chown(path, uid_t.max, group) }
    }
    // SAFETY: as above.
    _ = try retrying(.changeMode) { unsafe chmod(path, permissions) }
  }

  /// Waits for the next connection.
  package func accept() throws(SystemError) -> PacketConnection {
    let accepted = try retrying(.open) {
      cposix_accept(descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
    }
    return PacketConnection(descriptor: accepted)
  }
}
