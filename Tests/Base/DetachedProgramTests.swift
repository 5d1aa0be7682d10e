import Foundation
import MFABase
import MFATestSupport
import Testing

/// Real programs that are not children of the process that starts them.
///
/// Each test runs in a process of its own, because the other tests have children.
@Suite("Detached programs")
struct DetachedProgramTests {
  @Test("a program that cannot be executed is an error, and no child is left")
  func notExecuted() async {
    await #expect(processExitsWith: .success) {
      for (path, number) in [
        ("/nonexistent/program", ENOENT), ("/etc/passwd", EACCES), ("/bin", EACCES),
      ] as [(StaticString, Int32)] {
        #expect(throws: SystemError(.process, number: number), "\(path)") {
          try Program.startDetached(path, input: [])
        }
        let isParent = try Self.hasChildren()
        #expect(!isParent, "\(path)")
      }
    }
  }

  @Test("a program that is executed is no child of this process")
  func executed() async {
    await #expect(processExitsWith: .success) {
      try Program.startDetached("/bin/sleep", input: [1])
      let isParent = try Self.hasChildren()
      #expect(!isParent)
    }
  }

  @Test("a child of this process is found, running or ended")
  func child() async {
    await #expect(processExitsWith: .success) {
      let child = try ChildProcess(["/bin/true"])
      let isParent = try Self.hasChildren()
      _ = try child.wait(until: .long)
      let isStillParent = try Self.hasChildren()
      #expect(isParent && !isStillParent)
    }
  }

  /// Returns whether this process has a child, which may have ended.
  private static func hasChildren() throws -> Bool {
    let threads = "/proc/self/task"
    return try FileManager.default.contentsOfDirectory(atPath: threads).contains { thread in
      // The kernel lists a child with the thread that started it, until the child was waited for.
      try !String(contentsOfFile: "\(threads)/\(thread)/children", encoding: .utf8).isEmpty
    }
  }
}
