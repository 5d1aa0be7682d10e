import MFADecider
import Testing

@Suite("What pam_faillock has recorded")
struct FaillockTallyTests {
  private static let now: Int64 = 1_795_000_000

  /// Returns a record of a failure some seconds ago.
  private static func record(_ age: Int64, isValid: Bool = true) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    bytes[54] = isValid ? 1 : 2
    for index in 0..<8 { bytes[56 + index] = UInt8(truncatingIfNeeded: (now - age) >> (8 * index)) }
    return bytes
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    var arguments = "deny=3"
    var configuration = ""
    let ages: [Int64]
    var isValid = true
    let isLocked: Bool
    var testDescription: String { "row \(number)" }
  }

  @Test(
    "an account is locked as pam_faillock locks it",
    arguments: [
      Row(number: 1, ages: [], isLocked: false),
      Row(number: 2, ages: [30, 20], isLocked: false),
      Row(number: 3, ages: [30, 20, 10], isLocked: true),
      Row(number: 4, ages: [30, 20, 10], isValid: false, isLocked: false),
      // The failures must be in one interval, which ends with the last one.
      Row(number: 5, ages: [1000, 20, 10], isLocked: false),
      Row(number: 6, ages: [620, 610, 601], isLocked: false),
      Row(number: 7, ages: [620, 610, 600], isLocked: true),
      Row(
        number: 8, arguments: "deny=3 unlock_time=never", ages: [90_020, 90_010, 90_000],
        isLocked: true),
      Row(number: 9, arguments: "deny=3 unlock_time=60", ages: [81, 71, 61], isLocked: false),
      Row(number: 10, arguments: "deny=2 fail_interval=15", ages: [30, 10], isLocked: false),
      Row(number: 11, arguments: "deny=0", ages: [3, 2, 1], isLocked: false),
      // The file has settings for lines without arguments, and arguments have precedence.
      Row(
        number: 12, arguments: "", configuration: "# deny = 9\n deny = 2 \nsilent\n", ages: [2, 1],
        isLocked: true),
      Row(
        number: 13, arguments: "deny=4", configuration: "deny=2\n", ages: [3, 2, 1],
        isLocked: false),
      Row(number: 14, arguments: "deny=many", ages: [3, 2, 1], isLocked: true),
      // A clock that was set back does not unlock.
      Row(number: 15, ages: [-500, -510, -520], isLocked: true),
    ])
  func locked(row: Row) {
    var policy = FaillockTally.Policy()
    policy.apply(configuration: Array(row.configuration.utf8))
    policy.apply(
      serviceFile: Array(
        """
        # auth required pam_faillock.so deny=1
        auth\trequired pam_unix.so deny=1
        auth required /lib/security/pam_faillock.so preauth \(row.arguments) # x

        """.utf8))
    let tally = FaillockTally(row.ages.flatMap { Self.record($0, isValid: row.isValid) } + [1])
    #expect(tally.isLocked(policy, at: Self.now) == row.isLocked)
  }

  @Test("without a line of the module nothing is locked")
  func unused() {
    var policy = FaillockTally.Policy()
    policy.apply(serviceFile: Array("auth required pam_unix.so\n#pam_faillock.so\n".utf8))
    let tally = FaillockTally([3, 2, 1].flatMap { Self.record($0) })
    #expect(!tally.isLocked(policy, at: Self.now))
  }
}
