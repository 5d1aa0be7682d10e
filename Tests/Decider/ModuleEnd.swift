import Foundation
import MFAWire
import MFAResidentTestSupport
import MFABase
import Testing

@testable import MFADecider

/// The module at the other end of a served connection. It sends its answers in advance, because a
/// call of the service waits for them.
final class ModuleEnd {
  private let connection: PacketConnection
  /// The end of the service.
  let served: PacketConnection

  init() throws {
    let path = "/tmp/mfa-module-\(UUID().uuidString)"
    let listener = try PacketListener(creating: Array(path.utf8), permissions: 0o600)
    connection = try PacketConnection(to: Array(path.utf8))
    served = try listener.accept()
    try FileManager.default.removeItem(atPath: path)
  }

  /// Returns what a process knows of others, of which as many as possible wait for answers without
  /// which their sign-ins can begin again.
  static func busyShare() throws -> WorkerShare {
    let share = try #require(WorkerShare(ownUser: 999))
    for slot in 1...WorkerShare.maximumHolding {
      share.slot = slot
      _ = share.beginHolding()
    }
    share.slot = 0
    return share
  }

  /// Returns an application at the service's end. Without a `share`, it does not wait for answers
  /// without which the sign-in can begin again.
  func application(
    share: WorkerShare? = nil, claimant: UInt32 = 1000, actsAsRoot: Bool = true,
    note: [UInt8]? = nil, tryNumber: UInt8? = 1, failedTries: UInt8 = 0,
    answered: [AnsweredQuestion] = []
  ) throws -> ServedApplication {
    ServedApplication(
      served, actsAsRoot: actsAsRoot, share: try share ?? Self.busyShare(),
      claimant: claimant,
      start: ConversationStart(
        .auth, MessageSamples.request, showsMessages: true, caller: 0, note: note,
        tryNumber: tryNumber, failedTries: failedTries, answered: answered))
  }

  func send(_ message: consuming ModuleMessage) throws {
    if let packet = message.packet() { try connection.send(packet.span) }
  }

  func send(bytes: [UInt8]) throws { try connection.send(bytes.span) }

  /// Returns the texts of the messages in the packets that have arrived, with `|` between packets.
  func heard() throws -> [String] {
    var texts: [String] = []
    while case .packet(let packet) = try connection.receive(seconds: 0) {
      if !texts.isEmpty { texts.append("|") }
      var reader = PacketReader(packet.span)
      while let message = try ServiceMessage.next(&reader) {
        texts.append(MessageSamples.text(message))
      }
    }
    return texts
  }
}
