import MFABase
import MFAResidentTestSupport
import MFASignInTestSupport
import MFAWire
import Testing

@testable import MFADecider

/// The MUSTs of HelperConversation.swift, with a decider that follows a script.
@Suite("The helper's conversation with its client")
struct HelperConversationTests {
  /// A client whose frames are scripted: a text, nil at the end, or `malformed`.
  private final class Frames: FrameLink {
    var script: [String?]
    var sent: [String] = []

    init(_ script: [String?]) { self.script = script }

    func receiveBody(seconds: Int64) -> ClientFrame {
      guard !script.isEmpty, let text = script.removeFirst() else { return .ended }
      switch text {
      case "malformed": return .malformed
      case "hello":
        let hello: [UInt8] = [1, 0, 1, HelperRequest.version, 0, 1, 3]
        return .body(SecretBytes(copying: hello.span))
      default: return .body(MessageSamples.secret(text))
      }
    }

    func send(_ frames: Span<UInt8>) -> Bool {
      sent.append(String(decoding: frames.copied(), as: UTF8.self))
      return true
    }
  }

  /// A proof that records the accounts.
  private final class RecordedProof: AccountProof {
    var accounts: [String] = []
    var result = ProofResult.proven

    func prove(_ account: Account, by prompter: some Prompter) -> ProofResult {
      accounts.append(String(decoding: account.name, as: UTF8.self))
      return result
    }
  }

  private let proof = RecordedProof()

  /// The requests that the decider got.
  private final class Decided {
    var calls: [String] = []
    var replies: [@Sendable () -> ManagementReply?]

    init(_ replies: [@Sendable () -> ManagementReply?]) { self.replies = replies }
  }

  /// Runs a conversation of alice. Returns what the decider got.
  private func run(
    _ client: Frames, _ replies: [@Sendable () -> ManagementReply?],
    endsWith ending: HelperConversation<RecordedProof, Frames>.Ending = .done
  ) -> [String] {
    let decided = Decided(replies)
    let conversation = HelperConversation(
      with: client, of: Account(name: Array("alice".utf8), uid: 1000),
      terminal: Array("pts/7".utf8), proof: proof
    ) { call in
      decided.calls.append(MessageSamples.text(call))
      return decided.replies.isEmpty ? nil : decided.replies.removeFirst()()
    }
    #expect(conversation.run() == ending)
    #expect(decided.replies.isEmpty)
    return decided.calls
  }

  /// Returns a reply with a text in the place of frames.
  private static func reply(
    _ next: ManagementReply.Next, _ frames: String = "", _ continuation: [UInt8] = []
  ) -> ManagementReply {
    var reply = ManagementReply(next)
    reply.frames = MessageSamples.secret(frames)
    reply.continuation = continuation
    return reply
  }

  @Test("PAM proves the account of the caller, and the decider gets its result")
  func account() {
    let results: [ProofResult] = [.proven, .wrong, .noAnswer, .refused(.locked)]
    for result in results {
      proof.accounts = []
      proof.result = result
      let calls = run(Frames(["hello"]), [{ Self.reply(.proof, "", [5]) }, { Self.reply(.end) }])
      #expect(proof.accounts == ["alice"])
      #expect(calls.dropFirst() == ["manage 'pts/7' japanese [5] '' \(result)"])
    }
  }

  @Test("each frame is one request, and the frames of the reply are passed on unchanged")
  func frames() {
    let client = Frames(["hello", "one", "two"])
    let calls = run(
      client,
      [
        { Self.reply(.request, "a", [1]) }, { Self.reply(.request, "", [2, 3]) },
        { Self.reply(.end, "b", [4]) },
      ])
    #expect(client.sent == ["a", "b"])
    #expect(
      calls.dropFirst() == [
        "manage 'pts/7' japanese [1] 'one' nil", "manage 'pts/7' japanese [2, 3] 'two' nil",
      ])
    #expect(proof.accounts.isEmpty)
  }

  @Test("a client that ends, or sends anything else first, ends the helper")
  func ends() {
    let failure: [UInt8] = [0, 0, 0, 10]
    for script in [[], ["two"], ["malformed"], [nil]] as [[String?]] {
      let client = Frames(script)
      #expect(run(client, []).isEmpty)
      #expect(client.sent.count == 1 && Array(client.sent[0].utf8.prefix(4)) == failure)
    }
    for (last, count) in [(nil, 1), ("malformed", 2)] as [(String?, Int)] {
      let client = Frames(["hello", last])
      #expect(run(client, [{ Self.reply(.request, "a") }]).count == 1)
      #expect(client.sent.count == count)
    }
  }

  @Test("without a reply the helper ends, and a busy decider is told apart")
  func noReply() {
    let client = Frames(["hello", "one"])
    #expect(run(client, [{ nil }]).count == 1)
    #expect(client.sent.isEmpty)
    #expect(run(Frames(["hello"]), [{ Self.reply(.busy) }], endsWith: .busy).count == 1)
  }
}
