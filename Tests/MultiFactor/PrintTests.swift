import Foundation
import MFABase
import Testing

@testable import MultiFactor

/// Secrets on standard output.
@Suite struct PrintTests {
  @Test("whether everything was written is returned")
  func returnsWhetherWritten() async {
    await #expect(processExitsWith: .success) {
      PrintTests.expect(true)
      close(STDOUT_FILENO)
      PrintTests.expect(false)
    }
    await #expect(processExitsWith: .success) {
      let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
      dup2(full.fileDescriptor, STDOUT_FILENO)
      PrintTests.expect(false)
    }
  }

  private static func expect(_ isWritten: Bool) {
    let result = SecretBytes("a secret").print()
    #expect(result == isWritten)
  }
}
