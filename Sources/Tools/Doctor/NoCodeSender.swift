import MFAAttempt
import MFAModel
import MFAStore

/// Sends no code: a simulated sign-in changes nothing and sends nothing.
struct NoCodeSender: CodeSender {
  func admit(
    _ number: Span<UInt8>, by cause: SendCause, limits: HostSendLimits, now: Int64
  ) throws(FactorStoreError) -> SendLog.Admission {
    .refused(.hostDaily(seconds: 0))
  }

  func send(_ message: borrowing GatewayMessage) -> GatewayReply { .refused }

  func markReturned(_ message: SendID) {}

  func markFailed(_ message: SendID) {}

  func markNotice(_ message: SendID) {}
}
