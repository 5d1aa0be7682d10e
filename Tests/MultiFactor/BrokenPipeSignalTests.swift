import Glibc
import MFACTestSupport
import Testing

@testable import MultiFactor

/// Each test has a process of its own, which a SIGPIPE ends.
@Suite("SIGPIPE, when a helper has ended") struct BrokenPipeSignalTests {
  @Test("a SIGPIPE of a write to the helper is discarded")
  func ownSignalIsDiscarded() async {
    await #expect(processExitsWith: .success) {
      let block = BrokenPipeSignalBlock()
      raise(SIGPIPE)
      block.discardPendingSignal()
    }
  }

  @Test("a SIGPIPE that was pending before stays pending for the program")
  func earlierSignalStays() async {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      #expect(ctest_block_broken_pipe(1) == 0)
      raise(SIGPIPE)
      do {
        let block = BrokenPipeSignalBlock()
        block.discardPendingSignal()
      }
      _ = ctest_block_broken_pipe(0)
    }
  }
}
