import MFABase
import MFAWire

/// A client of `mfa-helper`, at the other end of the helper's connection.
package final class RelayedClient: Link {
  private let connection: PacketConnection
  /// Whether the helper has ended, so that nothing is sent any more.
  private var isOver = false

  /// How much longer than the client the helper may take to answer, in seconds.
  private static var patience: Int64 { ProtocolDeadline.fact }
  /// How long PAM may take to prove the account, in seconds. The user may have to find a phone.
  private static var provingTime: Int64 { ProtocolDeadline.proof }

  /// Creates a client for a connection from the helper.
  package init(_ connection: PacketConnection) { self.connection = connection }

  /// Waits for a request of the client, at most `ProtocolDeadline.client` seconds.
  package func receive(seconds: Int64) -> Reception {
    let seconds = min(max(seconds, 0), ProtocolDeadline.client)
    guard
      let message = ask(
        .readClient(seconds: UInt32(truncatingIfNeeded: seconds)),
        seconds: seconds &+ Self.patience)
    else { return .ended }
    switch consume message {
    case .clientRequest(let body): return Reception(body: body)
    case .noRequest(let reason): return reason == .malformed ? .malformed : .ended
    default: return .ended
    }
  }

  /// Sends a response to the client.
  package func send(_ response: consuming HelperResponse) -> Bool {
    do throws(MessageError) {
      return send(.writeClient(try response.encoded()))
    } catch {
      return false
    }
  }

  /// Has the helper prove the account through PAM.
  package func proves(_ account: Account) -> ProofResult {
    guard let message = ask(.prove(account: account.name), seconds: Self.provingTime) else {
      return .wrong
    }
    switch consume message {
    case .proven(let number): return ProofResult(number: number) ?? .wrong
    default: return .wrong
    }
  }

  private func ask(_ message: consuming ServiceMessage, seconds: Int64) -> ModuleMessage? {
    guard send(message) else { return nil }
    Alarm.set(seconds: UInt32(clamping: seconds &+ Self.patience))
    defer { Alarm.set(seconds: ConversationLimit.working) }
    return ModuleMessage.receive(from: connection, seconds: seconds)
  }

  private func send(_ message: consuming ServiceMessage) -> Bool {
    guard !isOver else { return false }
    isOver = !connection.send(message)
    return !isOver
  }
}

extension PacketConnection {
  /// Sends a packet with one message, and returns whether that succeeded.
  package func send(_ message: consuming ServiceMessage) -> Bool {
    var writer = PacketWriter()
    message.write(to: &writer)
    guard let packet = writer.finish() else { return false }
    do throws(SystemError) {
      try send(packet.span)
      return true
    } catch {
      return false
    }
  }
}

/// A proof that the helper obtains from PAM. The helper's process keeps its caller's identity; this
/// process never had it.
package struct RelayedProof: AccountProof {
  private let client: RelayedClient

  /// Proves accounts at the other end of the client's connection.
  package init(client: RelayedClient) { self.client = client }

  /// Has the helper prove the account.
  package func prove(_ account: Account, by prompter: some Prompter) -> ProofResult {
    client.proves(account)
  }
  /// Does nothing: this process never had the identity of the caller.
  package func retire() -> Bool { true }
}
