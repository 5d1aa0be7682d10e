import Foundation
import MFAWire
import MFABase

/// A resident service that follows a script, in a thread of its own. It serves one connection after
/// the other, each by the next part of the script.
///
/// At its end, a test asserts that the whole script was used (`isUsedUp`).
package final class ScriptedService: @unchecked Sendable {
  /// A part of the script, for one connection.
  package typealias Part = @Sendable (Served) throws -> Void

  /// The path of the socket.
  package let path: [UInt8]
  private let lock = NSLock()
  private let finished = DispatchSemaphore(value: 0)
  private var texts: [String] = []
  private var failures: [String] = []

  /// A connection that the service serves.
  package final class Served {
    private let connection: PacketConnection
    private let service: ScriptedService

    init(_ connection: PacketConnection, _ service: ScriptedService) {
      self.connection = connection
      self.service = service
    }

    /// Waits for a packet, and records its text.
    package func receive() throws {
      switch try connection.receive(seconds: 10) {
      case .packet(let packet):
        let isCall = packet.withSpan { SignInCall.begins($0) }
        service.record(isCall ? try Self.call(packet) : try Self.message(packet))
      case .ended: service.record("ended")
      case .unread: service.record("unread")
      case .silent: service.record("silent")
      case .tooLong: service.record("too long")
      }
    }

    private static func call(_ packet: consuming SecretBytes) throws -> String {
      MessageSamples.text(try SignInCall(packet: packet))
    }

    private static func message(_ packet: consuming SecretBytes) throws -> String {
      MessageSamples.text(try ManagementCall(packet: packet))
    }

    /// Sends a reply to a request of the helper.
    package func reply(_ reply: consuming ManagementReply) throws {
      if let packet = reply.packet() { try connection.send(packet.span) }
    }

    /// Sends a reply to a request of the module.
    package func reply(_ reply: SignInReply) throws {
      if let packet = reply.packet() { try connection.send(packet.span) }
    }

    /// Sends bytes as a packet.
    package func send(bytes: [UInt8]) throws { try connection.send(bytes.span) }
  }

  /// Starts a service with a script.
  package init(_ script: [Part]) throws {
    path = Array("/tmp/mfa-service-\(UUID().uuidString)".utf8)
    let listener = try PacketListener(creating: path, permissions: 0o666)
    Thread.detachNewThread { [self] in
      for part in script {
        do { try part(Served(try listener.accept(), self)) } catch { fail("\(error)") }
      }
      finished.signal()
    }
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: String(decoding: path, as: UTF8.self)) } catch {
    }
  }

  private func record(_ text: String) { lock.withLock { texts.append(text) } }
  private func fail(_ text: String) { lock.withLock { failures.append(text) } }

  /// Waits until the script has been used, and returns whether it was used without an error.
  package func isUsedUp() -> Bool {
    guard finished.wait(timeout: .now() + 20) == .success else { return false }
    finished.signal()
    return lock.withLock { failures.isEmpty }
  }

  /// The texts of the messages received so far.
  package var heard: [String] { lock.withLock { texts } }
}
