import Synchronization
import Testing

@testable import MFARelay

/// The MUSTs of LateAnswer.
@Suite("An answer that may be late", .timeLimit(.minutes(20)))
struct LateAnswerTests {
  /// Counts notes, and tells of each.
  private final class Notes: Sendable {
    private let number = Mutex(0)
    let stream: AsyncStream<Void>
    private let notes: AsyncStream<Void>.Continuation

    init() { (stream, notes) = AsyncStream.makeStream(of: Void.self) }

    var count: Int { number.withLock { $0 } }

    func add() {
      number.withLock { $0 += 1 }
      notes.yield()
    }
  }

  private struct Failure: Error {}

  @Test("nothing is noted about an answer in time")
  func punctual() async throws {
    let notes = Notes()
    try await LateAnswer.note(every: .seconds(3600)) {
      notes.add()
    } during: {
    }
    #expect(notes.count == 0)
  }

  @Test("a late answer is noted again and again, and waited for")
  func late() async throws {
    let notes = Notes()
    try await LateAnswer.note(every: .milliseconds(1)) {
      notes.add()
    } during: {
      var seen = 0
      for await _ in notes.stream {
        seen += 1
        if seen == 3 { break }
      }
    }
    #expect(notes.count >= 3)
  }

  @Test("nothing is noted after the end")
  func end() async throws {
    for _ in 0..<50 {
      let notes = Notes()
      try await LateAnswer.note(every: .microseconds(50)) {
        notes.add()
      } during: {
        try await Task.sleep(for: .microseconds(50))
      }
      let count = notes.count
      await Task.yield()
      #expect(notes.count == count)
    }
  }

  @Test("a failure is passed on")
  func failure() async {
    let notes = Notes()
    await #expect(throws: Failure.self) {
      try await LateAnswer.note(every: .seconds(3600)) {
        notes.add()
      } during: {
        throw Failure()
      }
    }
    #expect(notes.count == 0)
  }
}
