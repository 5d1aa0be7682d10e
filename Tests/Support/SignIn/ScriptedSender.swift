public import MFAAuthentication
public import MFAFactors
public import MFAGateway
public import MFAStoreFiles

/// A gateway that delivers messages to an array.
public final class ScriptedSender: CodeSender, @unchecked Sendable {
  /// The messages that were sent, as the gateway reads them.
  public private(set) var messages: [String] = []
  /// The numbers that were admitted, or refused.
  public private(set) var requested: [String] = []
  /// The messages whose codes were typed.
  public private(set) var returned: [SendID] = []
  /// The messages that were not sent.
  public private(set) var failed: [SendID] = []
  /// Why each of them was requested.
  public private(set) var causes: [SendCause] = []
  /// The refusal of the next messages.
  public var refusal: SendLog.Refusal?
  /// The error of the limits' file.
  public var failure: FactorStoreError?
  /// The gateway's reply.
  public var reply = GatewayReply.accepted
  /// Called while the gateway is at work.
  public var atWork: () -> Void = {}

  /// Creates a sender that sends every message.
  public init() {}

  /// Numbers messages from 1.
  public func admit(
    _ number: Span<UInt8>, by cause: SendCause, limits: HostSendLimits, now: Int64
  ) throws(FactorStoreError) -> SendLog.Admission {
    if let failure { throw failure }
    requested.append(text(number))
    causes.append(cause)
    if let refusal { return .refused(refusal) }
    return .admitted(SendID(number: UInt64(requested.count)))
  }

  /// Keeps the message.
  public func send(_ message: borrowing GatewayMessage) -> GatewayReply {
    messages.append(text(message.span))
    atWork()
    return reply
  }

  /// Keeps the id.
  public func markReturned(_ message: SendID) { returned.append(message) }

  /// Keeps the id.
  public func markFailed(_ message: SendID) { failed.append(message) }

  /// The messages without a code.
  public private(set) var notices: [SendID] = []

  /// Keeps the id.
  public func markNotice(_ message: SendID) { notices.append(message) }

  /// The code in the last message.
  public var lastCode: String {
    String(messages.last?.split(separator: "\n\n").last?.prefix(6) ?? "")
  }

  private func text(_ span: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    for index in span.indices { bytes.append(span[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
