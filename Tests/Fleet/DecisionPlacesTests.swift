import Testing

@testable import MFAFront

@Suite("Places for decisions")
struct DecisionPlacesTests {
  /// Starts a task that takes a place, and waits until it has it or waits for it.
  private static func task(_ places: FairTurns, _ host: String) async -> Task<FairTurn?, Never> {
    let task = Task { await places.take(for: host) }
    for _ in 0..<20 { await Task.yield() }
    return task
  }

  @Test("a host has at most half of the places, and all hosts together have all")
  func limits() async throws {
    let places = FairTurns(3)
    let first = try #require(await places.take(for: "a"))
    let second = try #require(await places.take(for: "a"))
    let third = await Self.task(places, "a")
    #expect(places.taken == 2)
    let other = try #require(await places.take(for: "b"))
    let fourth = await Self.task(places, "c")
    other.end()
    // The place goes to c, because a has its half.
    #expect(await fourth.value != nil)
    #expect(places.taken == 3)
    first.end()
    #expect(await third.value != nil)
    #expect(places.taken == 3)
    second.end()
    #expect(places.taken == 2)
  }

  @Test("a task that is cancelled gets no place")
  func cancelled() async throws {
    let places = FairTurns(1)
    let first = try #require(await places.take(for: "a"))
    let waiting = await Self.task(places, "b")
    waiting.cancel()
    #expect(await waiting.value == nil)
    first.end()
    #expect(places.taken == 0)
    #expect(await places.take(for: "b") != nil)
  }
}
