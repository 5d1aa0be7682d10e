import MFAStore
import MFABase
import Testing

@testable import MFARealmStore

@Suite("The clock of a realm's database")
struct DatabaseClockTests {
  private let time: Int64 = 1_800_000_000

  @Test(
    "the time for a decision is at most 5 seconds later than the database's",
    arguments: [
      (ahead: -3600, passed: 0, used: -3600), (-1, 0, -1), (0, 0, 0), (5, 0, 5), (6, 0, 5),
      (60, 0, 5),
      // The database's clock goes on while a user types a code.
      (40, 30, 35), (40, 34, 39), (40, 35, 40), (40, 100, 40),
      // The seconds since the machine was started do not fall.
      (40, -10, 5),
    ] as [(ahead: Int64, passed: Int64, used: Int64)])
  func limit(ahead: Int64, passed: Int64, used: Int64) throws {
    var sinceBoot: Int64 = 1000
    let realm = LoadedRealm { () throws(SystemError) in sinceBoot }
    #expect(try realm.limited(time + ahead) == time + ahead)
    try realm.compare(time + ahead, with: time)
    sinceBoot += passed
    #expect(try realm.limited(time + ahead) == time + used)
  }

  @Test("the latest time of the database counts")
  func latest() throws {
    let realm = LoadedRealm { () throws(SystemError) in 1000 }
    try realm.compare(time, with: time)
    try realm.compare(time, with: time - 30)
    #expect(try realm.limited(time) == time - 25)
  }

  @Test("an engine without a clock limits nothing, and the time that was read before still counts")
  func noTime() throws {
    let realm = LoadedRealm { () throws(SystemError) in 1000 }
    try realm.compare(time, with: 0)
    #expect(try realm.limited(.max) == .max)
    try realm.compare(time, with: time)
    try realm.compare(.max, with: 0)
    #expect(try realm.limited(.max) == time + 5)
  }

  @Test(
    "a clock that is more than a minute ahead is refused", arguments: [61, 3600, .max] as [Int64])
  func tooFarAhead(seconds: Int64) throws {
    let realm = LoadedRealm()
    let (now, overflow) = time.addingReportingOverflow(seconds)
    #expect(throws: FactorStoreError.engine(.clock)) {
      try realm.compare(overflow ? .max : now, with: time)
    }
  }

  @Test("extreme times do not overflow")
  func extremes() throws {
    let times: [(Int64, Int64, Int64)] = [(.max, 1, .max - 1), (.min, .max, .min)]
    for (now, time, seconds) in times {
      let difference = try #require(DatabaseClock.Difference(of: now, from: time))
      #expect(difference.seconds == seconds)
    }
    let realm = LoadedRealm { () throws(SystemError) in .min }
    try realm.compare(.min, with: .max)
    #expect(try realm.limited(7) == 7)
  }

  @Test(
    "a difference of more than 5 seconds is reported",
    arguments: [
      (-3600, "3600 s behind the database's clock, so codes can be rejected"), (-6, "6 s behind"),
      (-5, nil),
      (0, nil), (5, nil), (6, "6 s ahead of the database's clock, which is used instead"),
      (60, "60 s ahead"),
      (61, "61 s ahead of the database's clock, so all sign-ins are denied"),
    ] as [(Int64, String?)])
  func finding(seconds: Int64, text: String?) throws {
    let difference = try #require(DatabaseClock.Difference(of: time + seconds, from: time))
    let finding = difference.finding
    #expect(finding?.contains(text ?? "?") == (text == nil ? nil : true))
    #expect(finding?.hasSuffix("; set both clocks: timedatectl set-ntp true") != false)
  }
}
