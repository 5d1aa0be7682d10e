import MFAStore
import MFAModel
import MFABase

/// A message without a code to an enrolled phone, about a change of the user's phones
/// (NIST SP 800-63B-4, section 4.6). It counts for the limits of the host and of the number.
///
/// A message that cannot be sent changes nothing: the user is also told by mail and at the next
/// sign-in.
package final class PhoneNotice {
  private let number: SecretBytes
  private let user: UInt32

  /// How long the gateway may try to deliver the message, in seconds.
  private static var lifetime: Int64 { 86_400 }

  /// What became of a message.
  package enum Result: Equatable, Sendable {
    case sent(SendID)
    /// A limit of the host or of the number is reached.
    case refused(SendLog.Refusal)
    /// The gateway did not accept the message.
    case failed(GatewayReply)
  }

  private init(_ number: borrowing SecretBytes, of user: UInt32) {
    self.number = SecretBytes(copying: number.span)
    self.user = user
  }

  /// Returns a notice for each of `factors` that is a phone to which messages can be sent. Called
  /// before the change, while the numbers can be read.
  package static func notices<Entry: FactorStoreEntry>(
    for factors: [Factor], in entry: Entry, _ settings: Settings
  ) -> [PhoneNotice] {
    guard settings.gateway != nil, let user = entry.kept?.uid else { return [] }
    var notices: [PhoneNotice] = []
    for factor in factors where factor.parameters == nil && factor.origin != .testNumber {
      do throws(FactorStoreError) {
        let number = try entry.secret(of: factor)
        guard settings.testCode(of: number.span) == nil, settings.allowsRegion(of: number.span)
        else { continue }
        notices.append(PhoneNotice(number, of: user))
      } catch {
        // A damaged number gets no message, and can still be removed.
      }
    }
    return notices
  }

  /// Sends the message at `now`, in seconds since the epoch. The caller holds no lock.
  package func send<Sender: CodeSender>(
    _ text: Span<UInt8>, by sender: Sender, _ limits: HostSendLimits, now: Int64
  ) throws(FactorStoreError) -> Result {
    let id: SendID
    let admission = try number.withSpan { number throws(FactorStoreError) in
      try sender.admit(number, by: SendCause(.notice, of: user), limits: limits, now: now)
    }
    switch admission {
    case .refused(let refusal): return .refused(refusal)
    case .admitted(let admitted): id = admitted
    }
    sender.markNotice(id)
    let (expires, overflow) = now.addingReportingOverflow(Self.lifetime)
    let message = number.withSpan {
      GatewayMessage(to: $0, id: id, expires: expires, text: text)
    }
    guard !overflow, let message else { return .failed(.refused) }
    let reply = sender.send(message)
    if !reply.mayHaveBeenSent { sender.markFailed(id) }
    return reply == .accepted ? .sent(id) : .failed(reply)
  }
}
