import MFACTestSupport
import Foundation

extension ChildProcess {
  /// Attaches strace to the process, which must be waiting. `command` is strace's command line from
  /// `SystemCallTrace`. Returns the strace process, which ends with the traced process.
  func trace(with command: [String]) throws(HarnessFailure) -> ChildProcess {
    let errors = try Descriptor.memory()
    let tracer = try ChildProcess(command + ["-p", "\(number)"], descriptors: [2: errors.number])
    let deadline = Deadline.usual
    while true {
      let status = FileManager.default.contents(atPath: "/proc/\(number)/status") ?? Data()
      let text = String(decoding: status, as: UTF8.self)
      if let line = text.firstMatch(of: /TracerPid:\t(\d+)/), line.output.1 != "0" { return tracer }
      // The process may be waiting in the very call at which strace kills it.
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
