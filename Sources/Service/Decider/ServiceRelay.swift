import MFABase
import MFAWire

/// The helper as a relay between its client and the resident service.
///
/// The service runs the conversation. The helper opens no file of the store and holds no lock. It
/// does what the service cannot: it has PAM prove that the caller owns the account.
///
/// MUST 1: only a listener that root created is trusted. (`ServiceRelayTests.owner`)
/// MUST 2: the account that PAM proves is that of the caller's real user ID.
/// (`ServiceRelayTests.otherAccount`)
struct ServiceRelay<Proof: AccountProof, Client: FrameLink> {
  let proof: Proof
  let client: Client
  let caller: Account
  let connection: PacketConnection

  /// How the relay ended.
  enum Ending: Equatable {
    /// The service ended the conversation.
    case done
    /// The service sent nothing. The helper runs the conversation itself.
    case unavailable
    /// The service has too many conversations of this user.
    case busy
  }

  /// How long the service may take to answer the first message, in seconds.
  private static var firstPatience: Int64 { ProtocolDeadline.first }
  /// How long the service may take to answer a later message, in seconds.
  private static var patience: Int64 { ProtocolDeadline.later }

  /// Returns a connection to the service, or nil if the service does not run.
  static func connection(
    at path: [UInt8] = InstalledPath.residentUserSocket.bytes, owner: UInt32 = 0
  ) -> PacketConnection? {
    do throws(SystemError) {
      let connection = try PacketConnection(to: path)
      return try connection.peer().user == owner ? connection : nil
    } catch {
      return nil
    }
  }

  /// Relays until the service ends the conversation.
  func run(terminal: [UInt8]?) -> Ending {
    guard let first = ModuleMessage.manage(terminal: terminal).packet() else { return .unavailable }
    do throws(SystemError) {
      try connection.sendAsRealUser(first.span)
    } catch {
      // The service may have sent `busy` before it closed the connection.
      guard error.isBrokenPipe else { return .unavailable }
    }
    var hasBegun = false
    while true {
      guard let packet = receive(seconds: hasBegun ? Self.patience : Self.firstPatience) else {
        return hasBegun ? .done : .unavailable
      }
      hasBegun = true
      if let ending = carryOut(packet) { return ending }
    }
  }

  private func receive(seconds: Int64) -> SecretBytes? {
    do throws(SystemError) {
      guard case .packet(let packet) = try connection.receive(seconds: seconds) else { return nil }
      return packet
    } catch {
      return nil
    }
  }

  /// Carries out the messages of a packet. Returns how the relay ends, or nil if it continues.
  private func carryOut(_ packet: borrowing SecretBytes) -> Ending? {
    var reader = PacketReader(packet.span)
    do throws(PacketError) {
      while let message = try ServiceMessage.next(&reader) {
        if let ending = carryOut(message) { return ending }
      }
      return nil
    } catch {
      // A packet that the helper does not understand: the service is of another version.
      return .done
    }
  }

  /// Carries out one message. Returns how the relay ends, or nil if it continues.
  private func carryOut(_ message: consuming ServiceMessage) -> Ending? {
    switch consume message {
    case .writeClient(let frame): client.send(frame: frame) ? nil : .done
    case .readClient(let seconds):
      answer(client.receiveBody(seconds: Int64(seconds))) ? nil : .done
    case .prove(let name): prove(name) ? nil : .done
    case .busy: .busy
    }
  }

  private func prove(_ name: [UInt8]) -> Bool {
    guard name == caller.name else { return send(.proven(ProofResult.wrong.number)) }
    let result = proof.prove(caller, by: ClientPrompter(client: client))
    return send(.proven(result.number))
  }

  private func answer(_ request: consuming ClientFrame) -> Bool {
    switch consume request {
    case .body(let body): send(.clientRequest(body))
    case .ended: send(.noRequest(.ended))
    case .malformed: send(.noRequest(.malformed))
    }
  }

  private func send(_ message: consuming ModuleMessage) -> Bool {
    guard let packet = message.packet() else { return false }
    do throws(SystemError) {
      try connection.send(packet.span)
      return true
    } catch {
      return false
    }
  }
}
