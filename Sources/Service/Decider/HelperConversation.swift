import MFABase
import MFAMessages
import MFAWire

/// The conversation of `mfa-helper` with its client, from `hello` to the end.
///
/// Each frame of the client becomes one request to the decider, whose reply has the frames for the client. The
/// helper itself opens no file of the store and holds no lock while it waits. It does what the decider cannot: it
/// has PAM prove that its caller owns the account.
///
/// MUST 1: the account that PAM proves is that of the caller's real user ID. (`HelperConversationTests.account`)
package struct HelperConversation<Proof: AccountProof, Client: FrameLink> {
  let proof: Proof
  let client: Client
  let caller: Account
  /// The terminal of the caller, or nil.
  let terminal: [UInt8]?
  /// The client that the caller's session was opened from, or nil.
  let remoteHost: [UInt8]?
  /// Has the decider decide about a request. Returns nil if it gave no reply.
  let decide: (consuming ManagementCall) -> ManagementReply?

  /// Prepares a conversation.
  package init(
    with client: Client, of caller: Account, terminal: [UInt8]?, remoteHost: [UInt8]? = nil,
    proof: Proof,
    decide: @escaping (consuming ManagementCall) -> ManagementReply?
  ) {
    self.client = client
    self.caller = caller
    self.terminal = terminal
    self.remoteHost = remoteHost
    self.proof = proof
    self.decide = decide
  }

  /// How the conversation ended.
  package enum Ending: Equatable {
    /// The decider, or the client, ended it.
    case done
    /// The decider has too much to do.
    case busy
  }

  /// The longest time that the client may take for its first frame, in seconds.
  private static var idleTime: Int64 { 60 }

  /// Passes requests and replies on until one side ends the conversation.
  package func run() -> Ending {
    guard case .body(let first) = client.receiveBody(seconds: Self.idleTime),
      let language = Self.language(first)
    else {
      fail()
      return .done
    }
    var call = ManagementCall()
    call.body = first
    while true {
      call.terminal = terminal
      call.remoteHost = remoteHost
      call.language = language
      guard let reply = decide(call) else { return .done }
      call = ManagementCall()
      call.continuation = reply.continuation
      guard reply.frames.count == 0 || client.send(reply.frames.span) else { return .done }
      switch reply.next {
      case .end: return .done
      case .busy: return .busy
      case .proof: call.proof = proof.prove(caller, by: ClientPrompter(client: client))
      case .request:
        switch client.receiveBody(seconds: Int64(reply.seconds)) {
        case .body(let body): call.body = body
        case .malformed:
          fail()
          return .done
        case .ended: return .done
        }
      }
    }
  }

  /// Returns the language in `hello`, or nil if the first frame is another one.
  private static func language(_ body: borrowing SecretBytes) -> Language? {
    do throws(PacketError) {
      guard case .hello(let language) = try HelperRequest(body: body.span) else { return nil }
      return language
    } catch {
      return nil
    }
  }

  private func fail() { _ = client.send(.failed(.protocolError)) }
}

/// A connection to the client.
package protocol FrameLink {
  /// Waits for the body of the next frame.
  func receiveBody(seconds: Int64) -> ClientFrame

  /// Sends complete frames, and returns whether they were sent.
  func send(_ frames: Span<UInt8>) -> Bool
}

extension FrameLink {
  /// Sends a response, and returns whether it was sent.
  func send(_ response: consuming HelperResponse) -> Bool {
    do throws(PacketError) {
      let frame = try response.encoded()
      return send(frame.span)
    } catch {
      return false
    }
  }
}

/// What was received from the client.
package enum ClientFrame: ~Copyable {
  /// The body of a frame.
  case body(SecretBytes)
  /// A frame that is empty or too long.
  case malformed
  /// Nothing: the client has ended, or was silent for too long.
  case ended
}

/// The user at the client.
struct ClientPrompter<Client: FrameLink>: Prompter {
  let client: Client

  func ask(_ prompt: DisplayText, echo: Bool) -> SecretBytes? {
    guard client.send(.prompt(text: prompt, echo ? .visibleAnswer : .hiddenAnswer)),
      case .body(let body) = client.receiveBody(seconds: ProtocolDeadline.answer)
    else { return nil }
    do throws(PacketError) {
      guard case .answer(let answer) = try HelperRequest(body: body.span) else { return nil }
      return answer
    } catch {
      return nil
    }
  }

  func tell(_ text: DisplayText) {
    _ = client.send(.notice(text: text))
  }
}
