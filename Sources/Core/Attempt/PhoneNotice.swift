import MFABase
import MFAModel
import MFAStore

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

/// A phone that a user can choose at a prompt to have a code sent to it.
package struct PhoneChoice: Equatable, Sendable {
  /// The factor's id.
  package let id: FactorID
  /// The name that the user gave the phone.
  package let name: DisplayName
  /// The number as it is shown.
  package let number: MaskedPhoneNumber

  /// Returns the phones of a record to which codes can be sent, in the order of enrolment. Without a
  /// gateway, these are test numbers.
  package static func all(of record: FactorRecord, _ settings: Settings) -> [PhoneChoice] {
    let hasGateway = settings.gateway != nil
    var phones: [PhoneChoice] = []
    for factor in record.factors where hasGateway || factor.origin == .testNumber {
      guard case .phone(let number, _, _) = factor.kind else { continue }
      phones.append(PhoneChoice(id: factor.id, name: factor.displayName, number: number))
    }
    return phones
  }

  /// Returns the list of the devices whose codes policy accepts, with what requests a code for one of `phones`.
  package static func list(
    of record: FactorRecord, _ phones: [PhoneChoice], _ settings: Settings
  ) -> DeviceList {
    var devices: [DeviceList.Device] = []
    for factor in record.factors where settings.allows(factor) {
      var number: [UInt8]?
      if case .phone(let masked, _, _) = factor.kind { number = masked.ascii }
      devices.append(
        DeviceList.Device(
          name: factor.displayName.utf8, number: number,
          isOffered: phones.contains { $0.id == factor.id }))
    }
    return DeviceList(devices)
  }

  /// Returns the phone that an answer requests a code for: `s` for the first one, or `s` and its
  /// number. Returns nil for any other answer.
  package static func requested(by answer: Span<UInt8>, of phones: [PhoneChoice]) -> PhoneChoice? {
    guard let position = DeviceList.position(requestedBy: answer) else { return nil }
    return phones.dropFirst(position).first
  }
}
