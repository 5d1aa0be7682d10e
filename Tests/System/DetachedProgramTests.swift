import Glibc
import MFASystem
import MFATestSupport
import Testing

/// Real programs that are not children of this process.
@Suite("Detached programs")
struct DetachedProgramTests {
  @Test("a program that cannot be executed is an error, and no child is left")
  func notExecuted() {
    for (path, number) in [
      ("/nonexistent/program", ENOENT), ("/etc/passwd", EACCES), ("/bin", EACCES),
    ] as [(StaticString, Int32)] {
      #expect(throws: SystemError(.process, number: number), "\(path)") {
        try Program.startDetached(path, input: [])
      }
    }
  }

  @Test("a program that is executed is no child of this process")
  func executed() throws {
    try Program.startDetached("/bin/true", input: [1])
  }
}
