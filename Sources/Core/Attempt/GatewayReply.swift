import MFABase

/// What happened to a message.
///
/// MUST 1: only the reply that the runner sends after exit status 0 is `accepted`.
/// (`GatewayReplyTests`)
package enum GatewayReply: Equatable, Sendable {
  /// The gateway accepted the message. It may still be lost later.
  case accepted
  /// `gateway` is not set in mfa.conf, or mfa.conf has an error.
  case notSet
  /// The gateway is not trusted, or does not exist.
  case unusable(GatewayRefusal)
  /// The gateway could not be started: the error number of execve(2).
  case notStarted(UInt8)
  /// The gateway ended with this exit status, which is not 0.
  case failed(UInt8)
  /// A signal ended the gateway.
  case killed
  /// The gateway took too long and was killed.
  case tookTooLong
  /// The message was malformed, or the sender was not trusted.
  case refused
  /// Nothing listens at the socket, or the listener is not trusted.
  case noService
  /// No reply came in time.
  case noReply

  private var code: (kind: UInt8, detail: UInt8)? {
    switch self {
    case .accepted: (0xA5, 0)
    case .notSet: (1, 0)
    case .unusable(let refusal): (2, refusal.rawValue)
    case .notStarted(let number): (3, number)
    case .failed(let status): (4, status)
    case .killed: (5, 0)
    case .tookTooLong: (6, 0)
    case .refused: (7, 0)
    case .noService, .noReply: nil
    }
  }

  /// The packet that the runner sends.
  package var packet: [UInt8] {
    let code = code ?? (7, 0)
    return [code.kind, code.detail]
  }

  /// Reads a packet. A packet of any other form is `noReply`.
  init(packet: Span<UInt8>) {
    self = .noReply
    guard packet.count == 2 else { return }
    let detail = packet[1]
    switch packet[0] {
    case 0xA5 where detail == 0: self = .accepted
    case 1 where detail == 0: self = .notSet
    case 2: if let refusal = GatewayRefusal(rawValue: detail) { self = .unusable(refusal) }
    case 3: self = .notStarted(detail)
    case 4 where detail != 0: self = .failed(detail)
    case 5 where detail == 0: self = .killed
    case 6 where detail == 0: self = .tookTooLong
    case 7 where detail == 0: self = .refused
    default: return
    }
  }

  /// The result, as written in log lines.
  package var name: StaticString {
    switch self {
    case .accepted: "accepted"
    case .notSet: "not-set"
    case .unusable(let refusal): refusal.name
    case .notStarted: "not-started"
    case .failed: "failed"
    case .killed: "killed"
    case .tookTooLong: "took-too-long"
    case .refused: "refused"
    case .noService: "no-service"
    case .noReply: "no-reply"
    }
  }

  /// The exit status or error number, if any.
  package var number: UInt8? {
    switch self {
    case .notStarted(let number), .failed(let number): number
    default: nil
    }
  }

  /// Whether the message may have been sent. The other failures happen before the gateway runs, or
  /// the gateway reports that it did not send.
  package var mayHaveBeenSent: Bool {
    switch self {
    case .accepted, .killed, .tookTooLong, .noReply: true
    case .notSet, .unusable, .notStarted, .failed, .refused, .noService: false
    }
  }
}

/// The client of the gateway service. It hands over messages through the socket /run/mfa/gateway:
/// one packet with the message, and one with the reply.
///
/// MUST 1: the message is handed only to a service that root has started. (`GatewayConnectionTests`)
/// MUST 2: no call takes longer than `patience`. (`GatewayConnectionTests`)
package struct GatewayConnection: Sendable {
  /// How long a reply may take, in seconds: two runs of a gateway, and some time in the queue.
  package static var patience: Int64 { 25 }

  private let path: [UInt8]
  private let patience: Int64
  private let owner: UInt32

  /// Creates a client of the installed service.
  package init() { self.init(path: InstalledPath.gatewaySocket.bytes) }

  /// Creates a client of the service at `path`, which `owner` has started.
  init(path: [UInt8], patience: Int64 = Self.patience, owner: UInt32 = 0) {
    self.path = path
    self.patience = patience
    self.owner = owner
  }

  /// Hands over a message and waits for the reply.
  package func send(_ message: borrowing GatewayMessage) -> GatewayReply {
    let connection: PacketConnection
    do throws(SystemError) {
      connection = try PacketConnection(to: path)
      guard try connection.peer().user == owner else { return .noService }
      try connection.send(message.span)
    } catch {
      return .noService
    }
    do throws(SystemError) {
      guard case .packet = try connection.nextPacket(seconds: patience) else { return .noReply }
      var packet: [UInt8] = [0, 0]
      var bytes = packet.mutableSpan
      var sender = Peer(process: 0, user: .max)
      let count = try connection.receive(into: &bytes, from: &sender)
      guard count == 2 else { return .noReply }
      return GatewayReply(packet: packet.span)
    } catch {
      return .noReply
    }
  }
}
