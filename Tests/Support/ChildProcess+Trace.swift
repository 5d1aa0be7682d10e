import CTestSupport
import Foundation

extension ChildProcess {
  /// Has strace look at the process, which waits for something, from now on. `command` is strace's
  /// command line, as `SystemCallTrace` gives it. Returns strace, which ends with the process.
  func trace(with command: [String]) throws(HarnessFailure) -> ChildProcess {
    let errors = try Descriptor.memory()
    let tracer = try ChildProcess(command + ["-p", "\(number)"], descriptors: [2: errors.number])
    let deadline = Deadline.usual
    while true {
      let status = FileManager.default.contents(atPath: "/proc/\(number)/status") ?? Data()
      let text = String(decoding: status, as: UTF8.self)
      if let line = text.firstMatch(of: /TracerPid:\t(\d+)/), line.output.1 != "0" { return tracer }
      // What it waits in may be the very call that it is killed at.
      if text.isEmpty || text.contains("State:\tZ") { return tracer }
      guard !deadline.isOver else {
        throw HarnessFailure(
          "strace does not attach",
          evidence: [("errors", String(decoding: try errors.contents(), as: UTF8.self))])
      }
      _ = ctest_readable(-1, -1, 1)
    }
  }
}
