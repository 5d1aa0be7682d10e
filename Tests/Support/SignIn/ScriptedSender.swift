import MFAAttempt
import MFAModel
import MFAStore

/// A gateway that delivers messages to an array.
package final class ScriptedSender: CodeSender, @unchecked Sendable {
  /// The messages that were sent, as the gateway reads them.
  package private(set) var messages: [String] = []
  /// The numbers that were admitted, or refused.
  package private(set) var requested: [String] = []
  /// The messages whose codes were typed.
  package private(set) var returned: [SendID] = []
  /// The messages that were not sent.
  package private(set) var failed: [SendID] = []
  /// Why each of them was requested.
  package private(set) var causes: [SendCause] = []
  /// The refusal of the next messages.
  package var refusal: SendLog.Refusal?
  /// The error of the limits' file.
  package var failure: FactorStoreError?
  /// The gateway's reply.
  package var reply = GatewayReply.accepted
  /// Called while the gateway is at work.
  package var atWork: () -> Void = {}

  /// Creates a sender that sends every message.
  package init() {}

  /// Numbers messages from 1.
  package func admit(
    _ number: Span<UInt8>, by cause: SendCause, limits: HostSendLimits, now: Int64
  ) throws(FactorStoreError) -> SendLog.Admission {
    if let failure { throw failure }
    requested.append(text(number))
    causes.append(cause)
    if let refusal { return .refused(refusal) }
    return .admitted(SendID(number: UInt64(requested.count)))
  }

  /// Keeps the message.
  package func send(_ message: borrowing GatewayMessage) -> GatewayReply {
    messages.append(text(message.span))
    atWork()
    return reply
  }

  /// Keeps the id.
  package func markReturned(_ message: SendID) { returned.append(message) }

  /// Keeps the id.
  package func markFailed(_ message: SendID) { failed.append(message) }

  /// The messages without a code.
  package private(set) var notices: [SendID] = []

  /// Keeps the id.
  package func markNotice(_ message: SendID) { notices.append(message) }

  /// The code in the last message.
  package var lastCode: String {
    String(messages.last?.split(separator: "\n\n").last?.prefix(6) ?? "")
  }

  private func text(_ span: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    for index in span.indices { bytes.append(span[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
