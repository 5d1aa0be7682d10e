import MFAStore
import MFAModel
import MFAAttempt
import MFABase

extension Administration {
  /// Returns the condition of the gateway, and the messages of the last 24 hours.
  package func phoneStatus(_ sends: SendLog) throws(AdminError) -> PhoneStatus {
    let status: SendLog.Status
    do throws(FactorStoreError) {
      status = try sends.status(limits: settings.hostSendLimits, now: now)
    } catch {
      throw .store(error)
    }
    return PhoneStatus(settings, settings.gateway.map { GatewayState(of: $0) }, status)
  }

  /// Allows messages again after the breaker stopped them.
  package func resumeSending(_ sends: SendLog) throws(AdminError) {
    try record(.sendingResumed, "sending-resumed")
    do throws(FactorStoreError) { try sends.resume(now: now) } catch { throw .store(error) }
  }

  /// Sends a text without a code to a phone number. It counts for the limits of the host.
  package func sendTest(
    to number: [UInt8], _ sends: SendLog,
    through gateway: (borrowing GatewayMessage) -> GatewayReply = { GatewayConnection().send($0) }
  ) throws(AdminError) {
    guard GatewayMessage.isNumber(number.span) else { throw .phone(.notANumber) }
    guard settings.testCode(of: number.span) == nil else { throw .phone(.testNumber) }
    guard settings.gateway != nil else { throw .phone(.noGateway) }
    guard settings.allowsRegion(of: number.span) else { throw .phone(.otherRegion) }
    let end = String(decoding: number.suffix(2), as: UTF8.self)
    try record(.testMessageSent, "test-message-sent", detail: "the number ends in \(end)")
    let admission: SendLog.Admission
    do throws(FactorStoreError) {
      admission = try sends.admit(
        number.span, by: SendCause(.notice, of: 0), limits: settings.hostSendLimits, now: now)
    } catch {
      throw .store(error)
    }
    switch admission {
    case .refused(let refusal): throw .phone(.limit(refusal))
    case .admitted(let id): try send(id, to: number, sends, through: gateway)
    }
  }

  private func send(
    _ id: SendID, to number: [UInt8], _ sends: SendLog,
    through gateway: (borrowing GatewayMessage) -> GatewayReply
  ) throws(AdminError) {
    let text = "This is a test of codes for sign-in. It has no code."
    guard
      let message = GatewayMessage(
        to: number.span, id: id, expires: now + 600, text: Array(text.utf8).span)
    else { throw .phone(.notANumber) }
    let reply = gateway(message)
    try onStore(try reply == .accepted ? sends.markNotice(id) : sends.markFailed(id))
    guard reply == .accepted else { throw .phone(.notAccepted(reply)) }
  }

  /// Records an operation in the audit log and in the system log, before it happens.
  func record(
    _ kind: AuditLogEvent.Kind, _ result: StaticString, detail: String = ""
  ) throws(AdminError) {
    let checkpoint = try onStore(try store.enter(event(kind, detail: Array(detail.utf8))))
    note(result, checkpoint)
  }
}
