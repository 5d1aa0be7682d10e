import MFAStore
import Foundation
import MFAModel
import MFAAttempt
import MFABase
import MFATestSupport

/// The codes that were sent to users of the tests.
enum SentCodesOfTests {
  /// The list of the messages that the host sent.
  static let list = "/var/lib/mfa/phone/sends"

  /// Adds messages to the list, as if five users had requested codes an hour ago and typed none.
  static func addUnansweredCodes() throws {
    guard let location = StoreLocation.standard else { throw HarnessFailure("no store") }
    let sends = SendLog(location, log: { _ in })
    let now = Int64(Date().timeIntervalSince1970)
    for number in 0..<20 {
      let phone = Array("+1510000\(1000 + number)".utf8)
      _ = try sends.admit(
        phone.span, by: SendCause(.signIn, of: UInt32(60_000 + number % 5)),
        limits: HostSendLimits(perHostDaily: 2000, breakerPercent: 0), now: now - 1200)
    }
  }

  /// Makes the codes that were sent to a user `seconds` older, as if that time had passed.
  static func age(_ user: MachineUser, _ seconds: UInt32) throws {
    guard let account = try Account.named(Array(user.name.utf8)),
      let location = StoreLocation.standard
    else { throw HarnessFailure("no account or no store") }
    let entry = try LocalFactorStore(location).entry(of: account, creating: false)
    let state = entry.attempts
    var codes = SentCodes()
    for time in state.sentCodes.times {
      codes.add(state.sentCodes.last, at: Int64(time &- seconds))
    }
    try entry.write(
      AttemptState(
        record: state.record, failures: state.failures, lastFailure: state.lastFailure,
        watermarks: state.watermarks, remembered: state.remembered, binding: state.binding,
        recentAnswers: state.recentAnswers, sentCodes: codes))
    try entry.sync()
  }
}
