import Glibc
import MFABase
import MFAResidentTestSupport
import MFAWire
import Testing

@testable import MFADecider

/// The MUSTs of HelperDecider.swift, with a service that follows a script.
@Suite("How the helper has its requests decided")
struct HelperDeciderTests {
  /// Returns a text with what a service did with a request.
  private func answer(_ service: ScriptedService, owner: UInt32 = geteuid()) throws -> String {
    let decider = HelperDecider(
      PrivilegedProcess.Identities(caller: 1000, own: geteuid()),
      Account(name: Array("alice".utf8), uid: 1000), at: service.path, owner: owner)
    var call = MessageSamples.management()
    guard let packet = call.packet() else { throw PacketError.malformed }
    switch decider.ask(packet) {
    case .reply(let reply): return MessageSamples.text(reply)
    case .nothing: return "nothing"
    case .unread: return "unread"
    }
  }

  @Test("a listener of another user is not trusted, and no listener is no service")
  func owner() throws {
    let service = try ScriptedService([{ try $0.receive() }])
    #expect(try answer(service, owner: geteuid() + 1) == "unread")
    #expect(service.isUsedUp())
    #expect(service.heard == ["ended"])
    let decider = HelperDecider(
      PrivilegedProcess.Identities(caller: 1000, own: geteuid()),
      Account(name: Array("alice".utf8), uid: 1000), at: Array("/tmp/mfa-no-service".utf8))
    guard case .unread = decider.ask(SecretBytes(count: 1)) else {
      Issue.record("a service that does not exist has read the request")
      return
    }
  }

  @Test("the reply of the service is read")
  func reply() throws {
    for sample in MessageSamples.managementReplies {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try served.reply(sample())
        }
      ])
      #expect(try answer(service) == MessageSamples.text(sample()))
      #expect(service.isUsedUp())
      #expect(service.heard == [MessageSamples.text(MessageSamples.management())])
    }
  }

  @Test("a request that may have been read is not decided again")
  func unanswered() throws {
    let parts: [ScriptedService.Part] = [
      { _ in }, { try $0.send(bytes: [0xFF, 0, 0]) }, { try $0.send(bytes: [0x82]) },
      { try $0.reply(SignInReply([], .busy)) },
    ]
    for part in parts {
      let service = try ScriptedService([
        { served in
          try served.receive()
          try part(served)
        }
      ])
      #expect(try answer(service) == "nothing")
      #expect(service.isUsedUp())
    }
  }

  @Test("a request that the service has not read is decided by the helper")
  func unread() throws {
    let service = try ScriptedService([{ _ in }])
    #expect(try answer(service) == "unread")
    #expect(service.isUsedUp())
  }
}
