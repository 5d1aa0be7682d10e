import Foundation
import Glibc
import MFABase
import MFACTestSupport
import MFATestSupport
import Testing

/// Each test runs in a separate process, whose connections are known.
@Suite("Peer addresses")
struct ConnectionTests {
  /// Returns an address of 127.0.0.0/8 as an IPv4-mapped IPv6 address.
  static func mapped(_ last: UInt128) -> UInt128 { 0xFFFF_7F00_0000 + last }

  /// Returns the peer address after each of these connections is opened, one after the other, in a
  /// process without other connections. Returns nil if one could not be opened.
  private static func peers(_ steps: [() -> Int32]) -> [UInt128?]? {
    OpenConnection.alone {
      var peers: [UInt128?] = []
      for step in steps {
        guard step() >= 0 else { return nil }
        peers.append(Connection.peer())
      }
      return peers
    }
  }

  @Test("without an IPv4 or IPv6 stream there is no peer address")
  func none() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([{ 0 }, { OpenConnection.datagrams(to: "127.0.0.1") }])
      #expect(peers == [nil, nil])
    }
  }

  @Test("several IPv4 connections from one address have that peer address")
  func four() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") },
        { OpenConnection.datagrams(to: "127.0.0.7") },
      ])
      #expect(peers == [UInt128?](repeating: ConnectionTests.mapped(2), count: 3))
    }
  }

  @Test("an IPv4 connection to an IPv6 socket has an IPv4 peer address")
  func fourBySix() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "::ffff:127.0.0.1", as: "127.0.0.1", from: "127.0.0.3") },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3") },
      ])
      #expect(peers == [UInt128?](repeating: ConnectionTests.mapped(3), count: 2))
    }
  }

  @Test("an IPv6 connection has an IPv6 peer address")
  func six() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([{ OpenConnection.accept(at: "::1", from: "::1") }])
      #expect(peers == [1])
    }
  }

  @Test("connections from two addresses have no peer address")
  func two() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") },
        { OpenConnection.accept(at: "::1", from: "::1") },
      ])
      #expect(peers == [ConnectionTests.mapped(2), nil])
    }
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2") },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3") },
      ])
      #expect(peers == [ConnectionTests.mapped(2), nil])
    }
  }

  @Test("the first 64 descriptors are examined")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let peers = ConnectionTests.peers([
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.2", lowest: 64) },
        { OpenConnection.accept(at: "127.0.0.1", from: "127.0.0.3", lowest: 63) },
      ])
      #expect(peers == [nil, ConnectionTests.mapped(3)])
    }
  }
}

/// The standard streams of a process. The test runs in a separate process, whose standard output it
/// replaces.
@Suite struct ChannelTests {
  @Test("a client that has closed the stream is reported as a failed write")
  func closedStream() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      let ends = try PipeEnds()
      dup2(ends.writeEnd, STDOUT_FILENO)
      close(ends.takeReadEnd())
      #expect(throws: SystemError(.write, number: EPIPE)) { try Channel().send([1].span) }
    }
  }
}

/// The MUSTs of PacketConnection.swift, and the identities of both ends.
@Suite("Local connections that keep packets apart")
struct PacketConnectionTests {
  /// Two ends of a connection through a listener of its own.
  final class Ends {
    let client: PacketConnection
    let server: PacketConnection

    init() throws {
      let path = "/tmp/mfa-packets-\(UUID().uuidString)"
      let listener = try PacketListener(creating: Array(path.utf8), permissions: 0o600)
      client = try PacketConnection(to: Array(path.utf8))
      server = try listener.accept()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Receives a packet of at most `count` bytes. Returns its length and its sender.
  static func receive(
    _ connection: PacketConnection, count: Int = 100
  ) throws -> (bytes: [UInt8], length: Int, sender: Peer) {
    var bytes = [UInt8](repeating: 0, count: count)
    var sender = Peer(process: -1, user: .max)
    var span = bytes.mutableSpan
    let length = try connection.receive(into: &span, from: &sender)
    return (Array(bytes.prefix(length)), length, sender)
  }

  @Test("waiting for a packet ends at its deadline, and sending does not wait")
  func silence() throws {
    let ends = try Ends()
    #expect(try ends.server.nextPacket(seconds: 0) == .silent)
    #expect(try ends.server.nextPacket(seconds: 1) == .silent)
    let bytes = [UInt8](repeating: 7, count: 50_000)
    let error = #expect(throws: SystemError.self) {
      for _ in 0..<1000 { try ends.client.send(bytes.span) }
    }
    #expect(error?.number == EAGAIN)
    #expect(try ends.server.nextPacket(seconds: 0) == .packet(50_000))
  }

  @Test("a connection that was closed with a packet unread differs from one that was read")
  func closedUnread() throws {
    let path = Array("/tmp/mfa-packets-\(UUID().uuidString)".utf8)
    let listener = try PacketListener(creating: path, permissions: 0o600)
    for reads in [true, false] {
      let client = try PacketConnection(to: path)
      func serve() throws {
        let server = try listener.accept()
        try client.send([1].span)
        if reads { _ = try Self.receive(server) }
      }
      try serve()
      #expect(try client.nextPacket(seconds: 1) == (reads ? .ended : .unread))
    }
    try FileManager.default.removeItem(atPath: String(decoding: path, as: UTF8.self))
  }

  @Test("a packet that was reported can be received although the other end closed without reading")
  func closedAfterReport() throws {
    let path = Array("/tmp/mfa-packets-\(UUID().uuidString)".utf8)
    let listener = try PacketListener(creating: path, permissions: 0o600)
    let client = try PacketConnection(to: path)
    func serve() throws {
      let server = try listener.accept()
      try client.send([1].span)
      try server.send([2, 3].span)
      #expect(try client.nextPacket(seconds: 20) == .packet(2))
    }
    try serve()
    #expect(try Self.receive(client).bytes == [2, 3])
    try FileManager.default.removeItem(atPath: String(decoding: path, as: UTF8.self))
  }

  @Test("a closed connection has ended, after what was sent before, and sends no signal")
  func closed() async {
    await #expect(processExitsWith: .success) {
      let path = Array("/tmp/mfa-packets-\(UUID().uuidString)".utf8)
      let listener = try PacketListener(creating: path, permissions: 0o600)
      func server() throws -> PacketConnection {
        let client = try PacketConnection(to: path)
        let server = try listener.accept()
        try client.send([1, 2].span)
        return server
      }
      let server = try server()
      _ = signal(SIGPIPE, SIG_DFL)
      #expect(try server.nextPacket(seconds: 20) == .packet(2))
      #expect(try PacketConnectionTests.receive(server).bytes == [1, 2])
      #expect(try server.nextPacket(seconds: 20) == .ended)
      let error = #expect(throws: SystemError.self) { try server.send([3].span) }
      #expect(error?.isBrokenPipe == true)
      try FileManager.default.removeItem(atPath: String(decoding: path, as: UTF8.self))
    }
  }

  @Test("a connection that was never accepted was closed without reading")
  func unread() throws {
    let path = Array("/tmp/mfa-packets-\(UUID().uuidString)".utf8)
    let listener = try PacketListener(creating: path, permissions: 0o600)
    let client = try PacketConnection(to: path)
    try client.send([1].span)
    func close() throws { _ = try listener.accept() }
    try close()
    #expect(try client.nextPacket(seconds: 20) == .unread)
    try FileManager.default.removeItem(atPath: String(decoding: path, as: UTF8.self))
  }

  @Test("packets keep their boundaries, and a packet that does not fit reports its length")
  func boundaries() throws {
    let ends = try Ends()
    try ends.client.send([1, 2, 3].span)
    try ends.client.send([UInt8](repeating: 9, count: 70_000).span)
    try ends.client.send([4].span)
    #expect(try ends.server.nextPacket(seconds: 20) == .packet(3))
    #expect(try Self.receive(ends.server).bytes == [1, 2, 3])
    #expect(try ends.server.nextPacket(seconds: 20) == .packet(70_000))
    let cut = try Self.receive(ends.server, count: 10)
    #expect(cut.length == 70_000)
    #expect(cut.bytes == [UInt8](repeating: 9, count: 10))
    #expect(try ends.server.nextPacket(seconds: 20) == .packet(1))
  }

  @Test("no listener, and no socket, refuse a connection")
  func noListener() throws {
    let path = "/tmp/mfa-packets-\(UUID().uuidString)"
    #expect(throws: SystemError.self) { _ = try PacketConnection(to: Array(path.utf8)) }
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(throws: SystemError.self) { _ = try PacketConnection(to: Array(path.utf8)) }
    let long = [UInt8](repeating: UInt8(ascii: "a"), count: 200)
    #expect(throws: SystemError.self) { _ = try PacketConnection(to: long) }
    try FileManager.default.removeItem(atPath: path)
  }

  @Test("the permissions of a socket file are those requested")
  func permissions() throws {
    let path = "/tmp/mfa-packets-\(UUID().uuidString)"
    for permissions in [0o600, 0o666] as [UInt32] {
      _ = try PacketListener(creating: Array(path.utf8), permissions: permissions)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == Int(permissions))
    }
    try FileManager.default.removeItem(atPath: path)
  }

  @Test("both ends see the process and the effective user of the other end")
  func peers() throws {
    let ends = try Ends()
    let own = Peer(process: getpid(), user: geteuid())
    #expect(try ends.client.peer() == own)
    #expect(try ends.server.peer() == own)
  }

  @Test("a packet tells the real user of its sender, and the connection the effective one")
  func senders() async {
    await #expect(processExitsWith: .success) {
      let path = Array("/tmp/mfa-packets-\(UUID().uuidString)".utf8)
      let listener = try PacketListener(creating: path, permissions: 0o666)
      #expect(ctest_set_identities(12345, 12346, 12346) == 0)
      let client = try PacketConnection(to: path)
      let server = try listener.accept()
      try client.sendAsRealUser([1].span)
      #expect(
        try PacketConnectionTests.receive(server).sender == Peer(process: getpid(), user: 12345))
      #expect(try server.peer() == Peer(process: getpid(), user: 12346))
    }
  }

  @Test("a packet without a sender is not from root")
  func noSender() throws {
    let ends = try Ends()
    try ends.server.send([1].span)
    #expect(try Self.receive(ends.client).sender == Peer(process: 0, user: .max))
  }

  /// A program that connects to the socket at the path in its first argument and claims to be run by
  /// root, and, if that is refused, sends the packet `2` as itself.
  private static let claim = """
    import os, socket, struct, sys
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(sys.argv[1])
    def send(pid, uid, data):
        s.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS,
                            struct.pack("3i", pid, uid, os.getgid()))])
    for pid, uid in ((os.getpid(), 0), (1, os.getuid())):
        try:
            send(pid, uid, b"\\1")
        except PermissionError:
            continue
        sys.exit(1)
    send(os.getpid(), os.getuid(), b"\\2")
    """

  @Test("a process cannot claim another user or another process")
  func claims() throws {
    let path = "/tmp/mfa-packets-\(UUID().uuidString)"
    let listener = try PacketListener(creating: Array(path.utf8), permissions: 0o666)
    let ended = try Command.run(
      ["/usr/bin/python3", "-c", Self.claim, path], as: .user("daemon"))
    try #require(ended.status.isSuccess, "\(ended.errorText)")
    let server = try listener.accept()
    let received = try Self.receive(server)
    let daemon = try #require(try Account.named(Array("daemon".utf8))).uid
    #expect(received.bytes == [2])
    #expect(received.sender.user == daemon)
    #expect(try server.peer().user == daemon)
    try FileManager.default.removeItem(atPath: path)
  }
}
