import MFABase
import Testing

/// Numbers that processes share.
@Suite("Shared numbers")
struct SharedNumbersTests {
  @Test("numbers begin as zero and are independent of each other")
  func independent() throws {
    let numbers = try #require(SharedNumbers(count: 2000))
    for index in 0..<2000 { #expect(numbers[index] == 0) }
    numbers[0] = .max
    numbers[1999] = 7
    #expect(numbers[0] == .max && numbers[1] == 0 && numbers[1998] == 0 && numbers[1999] == 7)
    #expect(numbers.add(3, at: 1999) == 10)
    #expect(numbers.add(-10, at: 1999) == 0)
    #expect(numbers.add(1, at: 0) == 0)
  }

  @Test("an index that does not exist is zero and cannot be set")
  func bounds() throws {
    let numbers = try #require(SharedNumbers(count: 3))
    for index in [-1, 3, .min, .max] {
      numbers[index] = 5
      #expect(numbers[index] == 0)
      #expect(numbers.add(5, at: index) == 0)
    }
    #expect((0..<3).allSatisfy { numbers[$0] == 0 })
  }

  @Test("a count without memory has no numbers")
  func count() {
    for count in [0, -1, .min, .max, .max / 4, 1 << 60] {
      #expect(SharedNumbers(count: count) == nil, "\(count)")
    }
  }

  @Test("additions of several processes are not lost, and each process sees them")
  func processes() async {
    await #expect(processExitsWith: .success) {
      let numbers = try #require(SharedNumbers(count: 2))
      var copies: [Int32] = []
      for _ in 0..<4 {
        switch try WorkerProcess.start() {
        case .copy(let process): copies.append(process)
        case .thisProcess:
          for _ in 0..<50_000 { numbers.add(1, at: 0) }
          numbers.add(1, at: 1)
          WorkerProcess.leave(0)
        }
      }
      for process in copies { #expect(WorkerProcessTests.end(of: process) == 0) }
      #expect(numbers[0] == 200_000 && numbers[1] == 4)
    }
  }
}
