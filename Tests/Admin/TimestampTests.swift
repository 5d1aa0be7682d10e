import MFABase
import Testing

@testable import MFAAdmin

@Suite struct TimestampTests {
  static let cases: [(Int, Int64, String?)] = [
    (1, 0, "1970-01-01T00:00:00Z"),
    (2, -1, "1969-12-31T23:59:59Z"),
    (3, 951_782_399, "2000-02-28T23:59:59Z"),
    (4, 951_782_400, "2000-02-29T00:00:00Z"),
    (5, 951_868_800, "2000-03-01T00:00:00Z"),
    (6, 4_107_542_399, "2100-02-28T23:59:59Z"),
    (7, 4_107_542_400, "2100-03-01T00:00:00Z"),
    (8, 253_402_300_799, "9999-12-31T23:59:59Z"),
    (9, 253_402_300_800, nil),
    (10, -12_212_553_600, "1583-01-01T00:00:00Z"),
    (11, -12_212_553_601, nil),
    (12, .max, nil),
    (13, .min, nil),
  ]

  @Test(arguments: cases) func written(_ number: Int, _ seconds: Int64, _ expected: String?) {
    #expect(Timestamp(seconds)?.iso8601 == expected, "case \(number)")
  }

  @Test func dayMatchesOtherCalendarCode() throws {
    for seconds in stride(from: Int64(0), through: 253_402_300_799, by: 86_399 * 997) {
      let other = String(decoding: UTCTime.precise(seconds), as: UTF8.self)
      #expect(Timestamp(seconds)?.iso8601 == other)
    }
  }

  @Test func forPeople() {
    #expect(Timestamp(1_795_000_089)?.short == "2026-11-18 11:08")
    #expect(Timestamp(1_795_000_089)?.full == "2026-11-18 11:08:09 UTC")
  }

  static let steps: [(Int, Int64, UInt16, String?)] = [
    (1, 2, 30, "1970-01-01T00:01:00Z"),
    (2, .max, 30, nil),
    (3, .min, 120, nil),
    (4, .max / 30, 30, nil),
  ]

  @Test(arguments: steps)
  func ofAStep(_ number: Int, _ step: Int64, _ period: UInt16, _ expected: String?) {
    #expect(Timestamp(step: step, period: period)?.iso8601 == expected, "case \(number)")
  }
}
