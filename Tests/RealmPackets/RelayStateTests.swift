import MFARealm
import Testing

@Suite("The state of a relay")
struct RelayStateTests {
  @Test("the relay is offline after every verifier has failed for a while")
  func offline() {
    var state = RelayState(verifiers: 2, at: 0)
    #expect(state.phase == .uncertain)
    state.failed(0, at: 0)
    state.failed(0, at: 100)
    #expect(state.phase == .uncertain)
    state.failed(1, at: 100)
    #expect(state.phase == .uncertain)
    state.failed(0, at: 104.9)
    #expect(state.phase == .uncertain)
    state.failed(1, at: 105)
    #expect(state.phase == .offline && state.since == 105)
  }

  @Test("one answer keeps the relay online, and begins the time anew")
  func answer() {
    var state = RelayState(verifiers: 2, at: 0)
    state.failed(0, at: 0)
    state.answered(1, at: 1)
    #expect(state.phase == .online)
    state.failed(0, at: 20)
    #expect(state.phase == .online)
    state.failed(1, at: 21)
    #expect(state.phase == .uncertain)
    state.answered(0, at: 25)
    #expect(state.phase == .online)
    state.failed(0, at: 27)
    #expect(state.phase == .uncertain)
    state.failed(0, at: 31)
    #expect(state.phase == .uncertain)
  }

  @Test("two answers in a row end the state offline")
  func hysteresis() {
    var state = RelayState(verifiers: 1, at: 0)
    state.failed(0, at: 0)
    state.failed(0, at: 5)
    #expect(state.phase == .offline)
    state.answered(0, at: 6)
    #expect(state.phase == .offline)
    state.failed(0, at: 7)
    state.answered(0, at: 8)
    #expect(state.phase == .offline)
    state.answered(0, at: 9)
    #expect(state.phase == .online)
  }
}
