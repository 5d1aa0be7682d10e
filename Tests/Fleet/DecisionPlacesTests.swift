import Testing

@testable import MFAFront

@Suite("Places for conversations")
struct DecisionPlacesTests {
  /// Starts a task that takes a place, and waits until it has it or waits for it.
  private static func task(_ places: DecisionPlaces, _ host: String) async -> Task<Bool, Never> {
    let task = Task { await places.take(for: host) }
    for _ in 0..<20 { await Task.yield() }
    return task
  }

  @Test("a host has at most half of the places, and all hosts together have all")
  func limits() async {
    let places = DecisionPlaces(3)
    #expect(await places.take(for: "a"))
    #expect(await places.take(for: "a"))
    let third = await Self.task(places, "a")
    #expect(places.taken == 2)
    #expect(await places.take(for: "b"))
    let fourth = await Self.task(places, "c")
    places.giveBack(by: "b")
    // The place goes to c, because a has its half.
    #expect(await fourth.value)
    #expect(places.taken == 3)
    places.giveBack(by: "a")
    #expect(await third.value)
    #expect(places.taken == 3)
  }

  @Test("a task that is cancelled gets no place")
  func cancelled() async {
    let places = DecisionPlaces(1)
    #expect(await places.take(for: "a"))
    let waiting = await Self.task(places, "b")
    waiting.cancel()
    #expect(!(await waiting.value))
    places.giveBack(by: "a")
    #expect(places.taken == 0)
    #expect(await places.take(for: "b"))
  }
}
