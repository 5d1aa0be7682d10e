import MFAFactorStore
import MFAFactors
import MFAStoreFiles
import MFASystem
import MFATestSupport

/// The codes that were sent to users of the tests.
enum SentCodesOfTests {
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
        failedCode: state.failedCode, sentCodes: codes))
    try entry.sync()
  }
}
