import MFABase
import MFAWire
import Synchronization
import Testing

@testable import MultiFactor

@Suite struct HelperReplacementTests {
  /// Opens scripted helpers in turn.
  private final class Helpers: Sendable {
    private let helpers: [ScriptedHelper]
    private let next = Mutex(0)

    init(_ scripts: [[ScriptedHelper.Line]]) { helpers = scripts.map { ScriptedHelper($0) } }

    @Sendable func open() throws(MultiFactorError) -> HelperPipes {
      let number = next.withLock { next in
        next += 1
        return next - 1
      }
      guard number < helpers.count else { throw .helperEnded }
      return try helpers[number].open()
    }

    var first: ScriptedHelper { helpers[0] }

    func problems() async -> [String] {
      var problems: [String] = []
      for helper in helpers { problems += await helper.finished() }
      return problems
    }
  }

  @Test("a helper that has ended because it was idle is replaced")
  func idleHelper() async throws {
    let helpers = Helpers([
      Samples.welcome + [.expect("list"), .send { .factors([]) }, .hangUp],
      Samples.welcome + [.expect("list"), .send { .factors([]) }, .expect("bye"), .expectEnd],
    ])
    let multiFactor = MultiFactor(open: helpers.open)
    #expect(try await multiFactor.enrolledFactors.isEmpty)
    // The end of the pipe follows the response.
    #expect(await helpers.first.finished() == [])
    #expect(try await multiFactor.enrolledFactors.isEmpty)
    await multiFactor.close()
    #expect(await helpers.problems() == [])
  }
}
