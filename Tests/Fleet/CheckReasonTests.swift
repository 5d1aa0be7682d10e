import Testing

@testable import MFARelay

/// The MUSTs of CheckReason.
@Suite("A reason to check a verifier", .timeLimit(.minutes(20)))
struct CheckReasonTests {
  private let reason = CheckReason()

  /// Longer than a test may take: a wait of this time ends because of something else.
  private static var endless: Duration { .seconds(3600) }

  @Test("a reason that arose before ends the next wait, and only that one")
  func early() async {
    reason.arise()
    #expect(await !waits(Self.endless))
    reason.forget()
    #expect(await waits(.milliseconds(30)))
  }

  @Test("a reason that was forgotten ends no wait")
  func forgotten() async {
    reason.arise()
    reason.forget()
    #expect(await waits(.milliseconds(30)))
  }

  @Test("a reason ends the present wait")
  func late() async {
    async let hasEnded = waits(Self.endless)
    reason.arise()
    #expect(await !hasEnded)
  }

  @Test("a wait ends when its time is over")
  func time() async {
    #expect(await waits(.milliseconds(30)))
    #expect(await waits(.zero))
  }

  @Test("a wait ends when its task is cancelled")
  func cancelled() async {
    let task = Task { await waits(Self.endless) }
    task.cancel()
    #expect(await !task.value)
  }

  /// Returns whether a wait takes at least this time.
  private func waits(_ duration: Duration) async -> Bool {
    let clock = ContinuousClock()
    let begin = clock.now
    await reason.wait(atMost: duration)
    return clock.now - begin >= duration
  }
}
