import MFABase
import MFARealm
import MFAWire

/// The way from this host to its realm: the relay.
package struct RealmConnection {
  private let path: [UInt8]
  private let owner: UInt32

  /// How long the relay may take to answer, in seconds. It waits for each verifier for 20 seconds.
  private static var patience: Int64 { 90 }

  /// Uses the socket at a path, whose listener must have been created by `owner`.
  package init(to path: [UInt8] = InstalledPath.residentRootSocket.bytes, owner: UInt32 = 0) {
    self.path = path
    self.owner = owner
  }

  /// Sends a request, and returns the reply, which is not a failure.
  package func reply(
    to command: AdministrationCommand
  ) throws(RealmProblem) -> AdministrationReply {
    let request = AdministrationRequest(
      administrator: Array(Console.actor.prefix(AdministrationRequest.longestName)),
      terminal: Array(Console.terminal.prefix(AdministrationRequest.longestTerminal)), command)
    guard let packet = request.packet() else { throw .otherVersion }
    let answer = try exchange(packet)
    let reply: AdministrationReply
    do throws(PacketError) { reply = try AdministrationReply.read(answer.span) } catch {
      throw .otherVersion
    }
    switch consume reply {
    case .failed(let failure, let detail): throw .refused(failure, VisibleText.escaping(detail))
    case let reply: return reply
    }
  }

  private func exchange(_ packet: borrowing SecretBytes) throws(RealmProblem) -> SecretBytes {
    var owner = owner
    let received: PacketConnection.Received
    do throws(SystemError) {
      let connection = try PacketConnection(to: path)
      owner = try connection.peer().user
      guard owner == self.owner else { throw SystemError.forbidden(.connect) }
      try connection.send(packet.span)
      received = try connection.receive(seconds: Self.patience)
    } catch {
      guard owner == self.owner else { throw .untrustedRelay(owner) }
      throw .noRelay(error)
    }
    switch consume received {
    case .packet(let answer): return answer
    case .silent: throw .silentRelay
    default: throw .otherVersion
    }
  }
}
