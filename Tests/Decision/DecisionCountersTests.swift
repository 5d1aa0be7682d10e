import MFAFleetProtocol
import MFAStoreFiles
import MFASystem
import Testing

@testable import MFADecision

@Suite("What the decision service counts")
struct DecisionCountersTests {
  @Test("each counter counts for itself")
  func independent() throws {
    let counters = try #require(DecisionCounters())
    for counter in DecisionCounter.allCases {
      for _ in 0...counter.rawValue { counters.add(counter) }
    }
    let numbers = counters.numbers
    for counter in DecisionCounter.allCases {
      #expect(numbers[counter] == UInt64(counter.rawValue) + 1)
    }
    #expect(numbers.timings.allSatisfy { $0 == 0 })
  }

  @Test("a time is counted in the bucket whose bound it does not exceed")
  func timings() throws {
    let counters = try #require(DecisionCounters())
    for time: UInt64 in [0, 250, 251, 2_000_000] { counters.add(.commit, microseconds: time) }
    let (counts, sum) = counters.numbers.distribution(.commit)
    #expect(counts == [2, 1] + [UInt64](repeating: 0, count: 9) + [1])
    #expect(sum == 2_000_501)
    #expect(counters.numbers.distribution(.load).counts.allSatisfy { $0 == 0 })
  }

  /// MUST 1 of DecisionCounters.swift.
  @Test("a sum goes on above 32 bits")
  func carries() throws {
    let counters = try #require(DecisionCounters())
    for _ in 0..<3 { counters.add(.load, microseconds: 4_000_000_000) }
    #expect(counters.numbers.distribution(.load).sum == 12_000_000_000)
  }

  @Test("numbers of another version are 0 where they are missing")
  func otherVersion() {
    let numbers = DecisionNumbers(counters: [7], timings: [])
    #expect(numbers[.denied] == 7 && numbers[.allowed] == 0)
    #expect(numbers.distribution(.commit).counts.count == DecisionTiming.width - 1)
  }

  @Test(
    "the result of a line of the log is counted",
    arguments: [
      ("result=accepted factor=1 user=alice", DecisionCounter.accepted),
      ("result=wrong user=result=accepted", .wrong),
      ("result=error user=a part=database reason=host-budget", .hostBudget),
      ("result=error user=a part=database reason=deadline", .error),
      ("result=unknown-user", .unknownUser),
    ])
  func results(text: String, counter: DecisionCounter) { #expect(Self.counter(text) == counter) }

  @Test("other lines are not counted", arguments: ["step=policy", "result=code-sent", ""])
  func otherLines(text: String) { #expect(Self.counter(text) == nil) }

  private static func counter(_ text: String) -> DecisionCounter? {
    DecisionCounter(Array(text.utf8))
  }
}
