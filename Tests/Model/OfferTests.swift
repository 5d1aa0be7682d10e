import MFAModel
import Testing

@Suite struct OfferTests {
  private func offer(_ lines: String) throws -> Settings.Offer {
    try parse("[project]\n\(lines)").project.offer
  }

  /// The expected seconds are the output of `date -u -d '... + 1 day' +%s`.
  @Test(arguments: [
    (1, "1970-01-01", 86_400), (2, "1970-12-31", 31_536_000), (3, "1972-02-29", 68_256_000),
    (4, "2000-02-29", 951_868_800), (5, "2000-12-31", 978_307_200),
    (6, "2027-01-31", 1_801_440_000),
    (7, "2028-02-29", 1_835_481_600), (8, "2038-01-19", 2_147_558_400),
    (9, "2100-02-28", 4_107_542_400), (10, "9999-12-31", 253_402_300_800),
  ])
  func days(number: Int, text: String, end: Int64) throws {
    let offer = try offer("offer_until = \(text)")
    #expect(offer.until == end, "row \(number)")
    #expect(offer.lastDay.map(readable) == text, "row \(number)")
  }

  @Test func successiveDaysAreADayApart() throws {
    var last: Int64 = 0
    for year in 1970...2110 {
      let isLeapYear = year % 4 == 0 && year != 2100
      for (month, days) in zip(
        1...12, [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
      {
        for day in 1...days {
          let pad: (Int) -> String = { $0 < 10 ? "0\($0)" : "\($0)" }
          let text = "\(year)-\(pad(month))-\(pad(day))"
          let offer = try offer("offer_until = \(text)")
          #expect(offer.until == last + 86_400, "\(text)")
          #expect(offer.lastDay.map(readable) == text)
          last += 86_400
        }
      }
    }
  }

  struct Row: Sendable {
    let number: Int
    let lines: String
    let made: UInt32
    let now: Int64
    let isAllowed: Bool

    init(_ number: Int, _ lines: String, made: UInt32, now: Int64, _ isAllowed: Bool) {
      self.number = number
      self.lines = lines
      self.made = made
      self.now = now
      self.isAllowed = isAllowed
    }
  }

  @Test(arguments: [
    Row(1, "", made: 0, now: 0, false),
    Row(2, "offer_sign_ins = 0", made: 0, now: 0, false),
    Row(3, "offer_sign_ins = 1", made: 0, now: .max, true),
    Row(4, "offer_sign_ins = 1", made: 1, now: 0, false),
    Row(5, "offer_sign_ins = 1000", made: 999, now: 0, true),
    Row(6, "offer_sign_ins = 1000", made: .max, now: 0, false),
    Row(7, "offer_until = 1970-01-01", made: .max, now: 86_399, true),
    Row(8, "offer_until = 1970-01-01", made: 0, now: 86_400, false),
    Row(9, "offer_until = 1970-01-01", made: 0, now: .min, true),
    Row(10, "offer_until = 1970-01-01\noffer_sign_ins = 2", made: 1, now: 86_399, true),
    Row(11, "offer_until = 1970-01-01\noffer_sign_ins = 2", made: 2, now: 86_399, false),
    Row(12, "offer_until = 1970-01-01\noffer_sign_ins = 2", made: 1, now: 86_400, false),
  ])
  func whatEndsItFirst(_ row: Row) throws {
    let offer = try offer(row.lines)
    #expect(
      offer.allowsPostponing(afterSignIns: row.made, now: row.now) == row.isAllowed,
      "row \(row.number)")
  }
}
