import Glibc
import MFAWire
import MFAResidentTestSupport
import MFABase
import Testing

@testable import MFADecider

/// The MUSTs of ServiceRelay.swift, with a service that follows a script.
@Suite("The helper as a relay")
struct ServiceRelayTests {
  /// A client whose frames are scripted: a text, nil at the end, or `malformed`.
  private final class Frames: FrameLink {
    var script: [String?]
    var sent: [String] = []

    init(_ script: [String?]) { self.script = script }

    func receiveBody(seconds: Int64) -> ClientFrame {
      guard !script.isEmpty, let text = script.removeFirst() else { return .ended }
      return text == "malformed" ? .malformed : .body(MessageSamples.secret(text))
    }

    func send(frame: consuming SecretBytes) -> Bool {
      sent.append(MessageSamples.text(frame))
      return true
    }

    func receive(seconds: Int64) -> Reception { .ended }
    func send(_ response: consuming HelperResponse) -> Bool { false }
  }

  /// A proof that records the accounts.
  private final class RecordedProof: AccountProof {
    var accounts: [String] = []
    var result = ProofResult.proven

    func prove(_ account: Account, by prompter: some Prompter) -> ProofResult {
      accounts.append(String(decoding: account.name, as: UTF8.self))
      return result
    }

    func retire() -> Bool { true }
  }

  private let proof = RecordedProof()

  /// Runs a relay for alice.
  private func run(_ service: ScriptedService, _ client: Frames) throws
    -> ServiceRelay<
      RecordedProof, Frames
    >.Ending
  {
    let connection = ServiceRelay<RecordedProof, Frames>.connection(
      at: service.path, owner: geteuid())
    return ServiceRelay(
      proof: proof, client: client, caller: Account(name: Array("alice".utf8), uid: 1000),
      connection: try #require(connection)
    ).run(terminal: Array("pts/7".utf8))
  }

  @Test("a listener of another user is not trusted")
  func owner() throws {
    let service = try ScriptedService([{ try $0.receive() }, { try $0.receive() }])
    typealias Relay = ServiceRelay<RecordedProof, Frames>
    #expect(Relay.connection(at: service.path, owner: geteuid() + 1) == nil)
    #expect(Relay.connection(at: service.path, owner: geteuid()) != nil)
    #expect(service.isUsedUp())
    #expect(service.heard == ["ended", "ended"])
    #expect(Relay.connection(at: Array("/tmp/mfa-no-service".utf8), owner: geteuid()) == nil)
  }

  @Test("only the account of the caller is proven")
  func otherAccount() throws {
    let results: [ProofResult] = [.proven, .wrong, .noAnswer, .refused(.locked)]
    for result in results {
      let service = try ScriptedService([
        { served in
          try served.receive()
          for name in ["bob", "alice", "", "alic", "alicea"] {
            try served.send { .prove(account: Array(name.utf8)) }
            try served.receive()
          }
        }
      ])
      proof.accounts = []
      proof.result = result
      #expect(try run(service, Frames([])) == .done)
      #expect(service.isUsedUp())
      #expect(proof.accounts == ["alice"])
      #expect(
        service.heard == [
          "manage 'pts/7'", "proven 0", "proven \(result.number)", "proven 0", "proven 0",
          "proven 0",
        ])
    }
  }

  @Test("requests and responses are passed on unchanged")
  func frames() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        for _ in 0..<4 {
          try served.send(
            { .writeClient(MessageSamples.secret("frame")) }, { .readClient(seconds: 5) })
          try served.receive()
        }
      }
    ])
    let client = Frames(["hello", "", "malformed", nil])
    #expect(try run(service, client) == .done)
    #expect(service.isUsedUp())
    #expect(client.sent == [String](repeating: "'frame'", count: 4))
    #expect(
      service.heard.dropFirst() == [
        "request 'hello'", "request ''", "no request malformed", "no request ended",
      ])
  }

  @Test("a service that sends nothing leaves the conversation to the helper")
  func unavailable() throws {
    let service = try ScriptedService([{ try $0.receive() }])
    #expect(try run(service, Frames([])) == .unavailable)
    #expect(service.isUsedUp())
  }

  @Test("a service that is busy is not replaced by the helper")
  func busy() throws {
    let service = try ScriptedService([
      { served in
        try served.receive()
        try served.send { .busy }
        try served.receive()
      }
    ])
    #expect(try run(service, Frames([])) == .busy)
    #expect(service.isUsedUp())
  }

  @Test("a message that is not for the helper, or is malformed, ends the relay")
  func otherMessages() throws {
    let parts: [ScriptedService.Part] = [
      { try $0.reply(SignInReply([], .verdict(1))) }, { try $0.reply(SignInReply([], .busy)) },
      { try $0.send(bytes: [0x92, 0, 1, 0]) }, { try $0.send(bytes: [0xFF, 0, 0]) },
    ]
    for part in parts {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try part(served)
          try served.receive()
        }
      ])
      let client = Frames([])
      #expect(try run(service, client) == .done)
      #expect(service.isUsedUp())
      #expect(service.heard.last == "ended")
      #expect(client.sent.isEmpty && proof.accounts.isEmpty)
    }
  }
}
