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

  /// The result of a sign-in.
  enum Result {
    /// The number of the verdict.
    case verdict(UInt8)
    /// No verifier answered, or the conversation ended without a verdict.
    case unanswered
    /// The decision service has ended the conversation and did not read the answer: a module begins again.
    case unread
  }

  /// The first message of the relay.
  func start() -> FleetStart {
    let account = Account(name: Array(user.utf8), uid: 1000)
    let facts = HostFacts(
      peerUser: 0,
      caller: AccountFacts(
        account: Account(name: Array("root".utf8), uid: 0), groups: [], areGroupsCertain: true),
      user: AccountFacts(account: account, groups: [], areGroupsCertain: true),
      isLookupCertain: true, sharing: [account],
      stacks: ReportedStacks([ReportedStacks.Lookup(Array("sshd".utf8), nil)], areCertain: true),
      secureShell: SecureShellConfiguration(graceTime: 120, leavesOtherMethod: true), sinceBoot: 10)
    let message = ModuleMessage.start(
      ConversationStart(
        .auth, SignInRequest(user: Array(user.utf8), service: Array("sshd".utf8)),
        showsMessages: true, caller: 0, note: nil, tryNumber: 1, answered: []))
    var start = FleetStart()
    start.nonce = Data((0..<16).map { _ in UInt8.random(in: 0...255) })
    start.hostFacts = Data(facts.encoded())
    if let packet = message.packet() { start.packet = Data(packet.span.copied()) }
    return start
  }

  /// Answers at the module's end of a channel until a verdict arrives.
  func answer(_ channel: PacketChannel) async throws -> Result {
    do {
      return try await answered(channel)
    } catch let error as SystemError where error.isBrokenPipe {
      // The conversation ended before the answer was sent.
      return .unread
    }
  }

  private func answered(_ channel: PacketChannel) async throws -> Result {
    var arrival = try await channel.arrival()
    while case .packet = arrival, let packet = try channel.take() {
      let bytes = packet.copied()
      guard let last = Self.lastMessage(bytes) else { return .unanswered }
      switch last.kind {
      case 0x81: return .verdict(last.body.first ?? 0)
      case 0x83: try Self.send(.reply(.text(SecretBytes(copying: Array(code.utf8).span))), channel)
      case 0x8A: try Self.send(.fact(nil), channel)
      default: return .unanswered
      }
      arrival = try await channel.arrival()
    }
    return arrival == .unread ? .unread : .unanswered
  }

  private static func send(_ message: consuming ModuleMessage, _ channel: PacketChannel) throws {
    guard let packet = message.packet() else { return }
    try channel.send(PacketBytes(packet))
  }

  private static func lastMessage(_ packet: [UInt8]) -> (kind: UInt8, body: ArraySlice<UInt8>)? {
    var index = 0
    var last: (UInt8, ArraySlice<UInt8>)?
    while index + 3 <= packet.count {
      let end = index + 3 + Int(packet[index + 1]) << 8 + Int(packet[index + 2])
      guard end <= packet.count else { return nil }
      last = (packet[index], packet[(index + 3)..<end])
      index = end
    }
    return last
  }
}
#endif
