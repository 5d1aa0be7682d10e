import Testing

@testable import MFAAdmin

@Suite("Progress")
struct ProgressTests {
  /// Returns what is shown for 2048 steps at these times. The first time is the start.
  private func shown(_ times: [Int64?]) -> [String] {
    var times = times
    var texts: [String] = []
    var progress = Progress(
      seconds: { times.isEmpty ? nil : times.removeFirst() }, show: { texts.append($0) })
    for count in 1...2048 { progress.step(count, of: 2048) }
    progress.finish()
    return texts
  }

  @Test(
    "progress is shown once a second, and removed at the end",
    arguments: [
      (1, [7, 7, 7, 7, 7], []),
      (2, [7, 7, 8, 8, 9], ["\r1024 of 2048\u{1B}[K", "\r2048 of 2048\u{1B}[K", "\r\u{1B}[K"]),
      (3, [7, 6, 5, nil, 8], ["\r2048 of 2048\u{1B}[K", "\r\u{1B}[K"]),
      (4, [nil, 1, 2, 3, 4], []),
    ] as [(Int, [Int64?], [String])])
  func table(row: Int, times: [Int64?], expected: [String]) {
    #expect(shown(times) == expected, "row \(row)")
  }
}
