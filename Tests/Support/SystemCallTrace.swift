import Foundation

/// Programs whose system calls are listed, made to fail, or are the last that they make.
public enum SystemCallTrace {
  /// What is done to one system call.
  public enum Fault: Sendable, CustomStringConvertible {
    /// It does nothing and returns an error.
    case error(String)

    /// The process is killed as it makes the call.
    case kill

    /// The process is stopped as it makes the call, until it is told to go on.
    case stop

    /// What strace is told.
    var injection: String {
      switch self {
      case .error(let name): "error=\(name)"
      case .kill: "signal=KILL"
      case .stop: "signal=STOP"
      }
    }

    /// The fault, for messages.
    public var description: String { injection }
  }

  /// The command line that lists a program's calls in the file at `path`; the program's own is to
  /// follow.
  public static func list(to path: String) -> [String] {
    ["/usr/bin/strace", "-qq", "-y", "-o", path]
  }

  /// The command line under which `call` of a program fails; the program's own is to follow. What strace
  /// sees of it goes to the file at `path`.
  public static func inject(
    _ fault: Fault, at call: SystemCall, to path: String = "/dev/null"
  ) -> [String] {
    [
      "/usr/bin/strace", "-qq", "-o", path, "-e", "trace=\(call.name)", "-e",
      "inject=\(call.name):\(fault.injection):when=\(call.number)",
    ]
  }

  /// The calls in a list that strace wrote, in order, from the first line on that contains `start`.
  public static func calls(inListAt path: String, from start: String) throws(HarnessFailure)
    -> [SystemCall]
  {
    var counts: [String: Int] = [:]
    var calls: [SystemCall] = []
    var hasStarted = false
    guard let list = FileManager.default.contents(atPath: path) else {
      throw HarnessFailure("strace has written no list at \(path)")
    }
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      guard let end = line.firstIndex(of: "("), line.first?.isLetter == true else { continue }
      let name = String(line[..<end])
      counts[name, default: 0] += 1
      hasStarted = hasStarted || line.contains(start)
      if hasStarted {
        calls.append(SystemCall(name: name, number: counts[name] ?? 0, line: String(line)))
      }
    }
    guard !calls.isEmpty else { throw HarnessFailure("no line of the list contains \(start)") }
    return calls
  }
}
