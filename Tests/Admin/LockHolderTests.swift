import Testing

@testable import MFAAdmin

@Suite struct LockHolderTests {
  private func holder(startTime: Int64?) -> LockHolder {
    LockHolder(
      process: 7, start: 1, startTime: startTime, command: "x\u{1B}", user: 1000, userName: nil,
      state: .stopped, file: "/x")
  }

  @Test func sentenceNamesProcessAndStartTime() {
    #expect(
      holder(startTime: 1_795_000_089).sentence
        == "process 7 (x\\x1b) of uid 1000, started 2026-11-18 11:08:09 UTC, stopped")
    #expect(holder(startTime: nil).sentence == "process 7 (x\\x1b) of uid 1000, stopped")
  }
}
