import MFAModel
import MFABase
import MFAStore
import Testing

@Suite("Resynchronisation")
struct ResynchronizationTests {
  private static let secret = Array("12345678901234567890".utf8)
  private static let now: Int64 = 1_800_000_000
  private static let present = now / 30

  private func code(at step: Int64) throws -> Code {
    var hotp = try HOTP(secret: Self.secret.span, algorithm: .sha1)
    return try hotp.code(at: UInt64(step), digits: .six)
  }

  private func finding(
    _ first: Int64, _ second: Int64, watermark: Int64 = -1, now: Int64 = now
  ) throws -> Resynchronization.Finding? {
    try Resynchronization.finding(
      first: try code(at: first), second: try code(at: second), secret: Self.secret.span,
      parameters: .standard, now: now, watermark: watermark)
  }

  @Test(
    "two consecutive codes determine how far ahead the authenticator is",
    arguments: [-10, -9, -1, 0, 1, 7, 10] as [Int64])
  func offset(ahead: Int64) throws {
    let found = try #require(try finding(Self.present + ahead - 1, Self.present + ahead))
    #expect(Int64(found.timeOffset) == ahead)
    #expect(found.step == Self.present + ahead)
  }

  @Test("offsets outside the range are not found", arguments: [-11, -12, -120, 11, 120] as [Int64])
  func beyondRange(ahead: Int64) throws {
    #expect(try finding(Self.present + ahead - 1, Self.present + ahead) == nil)
  }

  @Test(
    "codes that are not consecutive determine nothing",
    arguments: [(1, 0, 0), (2, 1, 0), (3, 0, 2), (4, -3, 5)] as [(Int, Int64, Int64)])
  func notConsecutive(row: Int, first: Int64, second: Int64) throws {
    #expect(try finding(Self.present + first, Self.present + second) == nil, "row \(row)")
  }

  @Test("a pair of codes with a used one changes nothing")
  func replayedPair() throws {
    let first = Self.present - 9
    #expect(try finding(first, first + 1, watermark: first + 1) == nil)
    #expect(try finding(first, first + 1, watermark: first) == nil)
    #expect(try finding(first, first + 1, watermark: first - 1) != nil)
  }

  @Test(
    "with an extreme clock, no offset is found",
    arguments: [Int64.min, -1_000_000, 0, 1, Int64.max])
  func anyClock(now: Int64) throws {
    _ = try finding(7, 9, now: now)
    #expect(try finding(7, 9, now: now) == nil)
  }

  @Test("the range is five minutes for every period")
  func steps() {
    #expect(
      ([15, 30, 60, 120, 0, 600] as [UInt16]).map { Resynchronization.steps(period: $0) }
        == [20, 10, 5, 2, 1, 1])
  }

  @Test(
    "the second code must follow within two minutes, and within two periods and 30 seconds",
    arguments: [(1, 15, 60), (2, 30, 90), (3, 45, 120), (4, 60, 120), (5, 120, 120)]
      as [(Int, UInt16, Int64)])
  func timely(row: Int, period: UInt16, longest: Int64) {
    for elapsed in [0, 1, longest] {
      #expect(Resynchronization.isTimely(elapsed, period: period), "row \(row)")
    }
    for elapsed in [-1, longest + 1, .min, .max] {
      #expect(!Resynchronization.isTimely(elapsed, period: period), "row \(row)")
    }
  }

  @Test("a factor's clock is ahead by its offset, and never overflows")
  func clock() throws {
    var factor = try factor(1)
    #expect(factor.clock(at: Self.now) == Self.now)
    factor.timeOffset = 4
    #expect(factor.clock(at: Self.now) == Self.now + 120)
    #expect(factor.clock(at: .max) == .max)
    factor.timeOffset = -4
    #expect(factor.clock(at: Self.now) == Self.now - 120)
    #expect(factor.clock(at: .min) == .min)
  }
}
