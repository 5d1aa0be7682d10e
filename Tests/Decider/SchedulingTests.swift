import Testing

@testable import MFADecider

@Suite struct SchedulingTests {
  @Test("a process takes locks only if it gets its share of the processors")
  func rows() {
    let reset: Int32 = 0x4000_0000
    let rows: [(policy: Int32, niceness: Int32, isSound: Bool)] = [
      (0, 0, true), (0, -5, true), (reset, 0, true),
      // SCHED_IDLE and SCHED_BATCH, with which the caller can starve the process, and an error.
      (5, 0, false), (5 | reset, 0, false), (3, 0, false), (-1, 0, false), (0, 1, false),
      (0, 19, false),
    ]
    for row in rows {
      #expect(
        Scheduling.isSound(policy: row.policy, niceness: row.niceness) == row.isSound, "\(row)")
    }
  }
}
