#if Fleet
import Foundation
import MFAWire
import MFAAttempt
import MFARealm
import MFARealmTransport
import MFAPAMStack
import MFABase

/// A simulated module: it answers the questions of a sign-in with a code.
struct LoadSignIn {
  let user: String
  let code: String

  /// The first request. The user tries one code.
  func call() -> SignInCall {
    var call = SignInCall()
    call.request = SignInRequest(
      user: Array(user.utf8), service: Array("sshd".utf8), arguments: [Array("tries=1".utf8)])
    call.showsMessages = true
    call.caller = 0
    return call
  }

  /// Prepares the next request. Returns the number of the verdict, -1 if the service is busy, or nil if a
  /// request follows.
  func carryOut(_ reply: SignInReply, after call: inout SignInCall) -> Int? {
    switch reply.end {
    case .verdict(let verdict): return Int(verdict)
    case .question(_, _, let continuation):
      call.answer = .text(SecretBytes(copying: Array(code.utf8).span))
      call.continuation = continuation
    case .facts: call.facts = ApplicationFacts()
    case .busy: return -1
    }
    return nil
  }

  /// What the relay sends: a request with facts about the host.
  func sent(_ call: inout SignInCall) -> RealmCall? {
    let account = Account(name: Array(user.utf8), uid: 1000)
    let facts = HostFacts(
      peerUser: 0,
      caller: AccountFacts(
        account: Account(name: Array("root".utf8), uid: 0), groups: [], areGroupsCertain: true),
      user: AccountFacts(account: account, groups: [], areGroupsCertain: true),
      isLookupCertain: true, sharing: [account],
      stacks: ReportedStacks([ReportedStacks.Lookup(Array("sshd".utf8), nil)], areCertain: true),
      secureShell: SecureShellConfiguration(graceTime: 120, leavesOtherMethod: true), sinceBoot: 10)
    guard let packet = call.packet() else { return nil }
    return RealmCall(PacketBytes(packet), facts: facts.encoded())
  }
}
#endif
