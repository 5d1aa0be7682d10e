import Glibc
import MFABase
import Testing

/// The standard streams of a process. The test runs in a separate process, whose standard output it
/// replaces.
@Suite struct ChannelTests {
  @Test("a client that has closed the stream is reported as a failed write")
  func closedStream() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      let ends = try PipeEnds()
      dup2(ends.writeEnd, STDOUT_FILENO)
      close(ends.takeReadEnd())
      #expect(throws: SystemError(.write, number: EPIPE)) { try Channel().send([1].span) }
    }
  }
}
