import MFAAttempt
import MFABase
import MFASignIn
import MFAWire

/// How `mfa-helper` has its requests decided: by the resident service, or by a copy of itself for one request where no
/// service listens.
///
/// MUST 1: only a listener that root created is trusted. (`HelperDeciderTests.owner`)
/// MUST 2: a request that a service may have read is not decided again. (`HelperDeciderTests.unanswered`)
/// MUST 3: the caller can stop this process, but no process that holds a lock: a copy gives up the caller's
/// identity before it takes one. (Tests/EndToEnd/StoppedProcessTests)
final class HelperDecider {
  private let identities: PrivilegedProcess.Identities
  private let caller: Account
  /// The service's socket.
  private let path: [UInt8]
  /// The owner of the service's socket.
  private let owner: UInt32
  private var slot: HelperSlot?

  init(
    _ identities: PrivilegedProcess.Identities, _ caller: Account,
    at path: [UInt8] = InstalledPath.residentUserSocket.bytes, owner: UInt32 = 0
  ) {
    self.identities = identities
    self.caller = caller
    self.path = path
    self.owner = owner
  }

  /// What the service did with a request.
  enum Answer: ~Copyable {
    case reply(ManagementReply)
    /// It gave no reply, or none that can be read.
    case nothing
    /// No service has read the request.
    case unread
  }

  /// Returns the reply to a request, or nil if there is none.
  func decide(_ call: consuming ManagementCall) -> ManagementReply? {
    guard let packet = call.packet() else { return nil }
    // A helper that the system user starts mails notices, which the service cannot do.
    if identities.caller != identities.own {
      switch ask(packet) {
      case .reply(let reply): return reply
      case .nothing: return nil
      case .unread: break
      }
    }
    return decideHere(packet)
  }

  /// Sends a request to the service.
  func ask(_ packet: borrowing SecretBytes) -> Answer {
    let connection: PacketConnection
    do throws(SystemError) {
      connection = try PacketConnection(to: path)
      guard try connection.peer().user == owner else { return .unread }
      try connection.sendAsRealUser(packet.span)
    } catch {
      return .unread
    }
    return Self.reply(from: connection)
  }

  private static func reply(from connection: PacketConnection) -> Answer {
    do throws(SystemError) {
      switch try connection.receive(seconds: ProtocolDeadline.later) {
      case .packet(let packet):
        do throws(PacketError) { return .reply(try ManagementReply(packet: packet)) } catch {
          return .nothing
        }
      case .unread: return .unread
      case .ended: return .nothing
      case .silent: return .nothing
      case .tooLong: return .nothing
      }
    } catch {
      return .nothing
    }
  }

  // MARK: Without a service

  /// Decides in a copy of this process that has the system user's identity alone, or in this process if it has no
  /// other identity either.
  private func decideHere(_ packet: consuming SecretBytes) -> ManagementReply? {
    do throws(SystemError) {
      guard try takeSlot() else { return ManagementReply(.busy) }
      let (own, other) = try PacketConnection.pair()
      if identities.caller == identities.own {
        manage(packet, other)
      } else {
        switch try WorkerProcess.start(whenThisEnds: .stops) {
        case .copy: break
        case .thisProcess:
          if PAMProof.retire(identities, whenThisEnds: .stops) { manage(packet, other) }
          WorkerProcess.leave(0)
        }
      }
      // Only the copy keeps its end.
      _ = consume other
      defer { while WorkerProcess.nextEnded() != nil {} }
      guard case .reply(let reply) = Self.reply(from: own) else { return nil }
      return reply
    } catch {
      return nil
    }
  }

  private func manage(_ packet: consuming SecretBytes, _ connection: PacketConnection) {
    ResidentHost(mail: .helper).manage(
      packet, for: caller, connection,
      servesAllUsers: identities.caller == 0 || identities.caller == identities.own,
      mail: Mailing.send)
  }

  /// Takes a slot for this process and its copies, unless it has one. Returns false if there is none.
  private func takeSlot() throws(SystemError) -> Bool {
    if slot != nil { return true }
    switch try HelperSlot.take(for: identities) {
    case .taken(let taken):
      slot = consume taken
      return true
    case .full: return false
    }
  }
}
