import Foundation

/// Command lines of strace that list a program's system calls, make one fail, or stop or kill the
/// program at one.
package enum SystemCallTrace {
  /// A fault to inject at a system call.
  package enum Fault: Sendable, CustomStringConvertible {
    /// The call has no effect and returns an error.
    case error(String)

    /// The process is killed at the call.
    case kill

    /// The process is stopped at the call until it receives SIGCONT.
    case stop

    /// The value of strace's `inject` option.
    var injection: String {
      switch self {
      case .error(let name): "error=\(name)"
      case .kill: "signal=KILL"
      case .stop: "signal=STOP"
      }
    }

    /// The fault, for messages.
    package var description: String { injection }
  }

  /// What happens when the program starts a copy of itself.
  package enum Copies: Sendable {
    /// The copy is not traced.
    case ignored
    /// The copy is traced too. strace counts the calls of each process.
    case followed
    /// The system starts no copy, the first time: `mfa-helper` then decides itself.
    case refused
  }

  /// Returns the beginning of a command line that runs a program and lists its system calls in the file at `path`.
  /// The program's own command line must be added.
  package static func list(to path: String, copies: Copies = .ignored) -> [String] {
    strace(to: path, copies, ["-y"])
  }

  /// Returns the command line that injects `fault` at `call` of a program, and of its copies if they are followed.
  /// The program's own command line must follow. strace's output goes to the file at `path`.
  package static func inject(
    _ fault: Fault, at call: SystemCall, to path: String = "/dev/null", copies: Copies = .ignored
  ) -> [String] {
    strace(
      to: path, copies,
      [
        "-e", "trace=\(call.name)" + (copies == .refused ? ",clone" : ""), "-e",
        "inject=\(call.name):\(fault.injection):when=\(call.number)",
      ])
  }

  private static func strace(to path: String, _ copies: Copies, _ more: [String]) -> [String] {
    let command = ["/usr/bin/strace", "-qq", "-o", path]
    return switch copies {
    case .ignored: command + more
    case .followed: command + more + ["-f"]
    case .refused: command + ["-e", "inject=clone:error=EAGAIN:when=1"] + more
    }
  }

  /// Returns the calls in a list that strace wrote, in order, starting at the first line that
  /// contains `start`. With `copy`, the calls of one process only: 0 is the first process in the list, 1 its first
  /// copy.
  package static func calls(
    inListAt path: String, from start: String, ofCopy copy: Int? = nil
  ) throws(HarnessFailure) -> [SystemCall] {
    var processes: [Substring] = []
    var counts: [String: Int] = [:]
    var calls: [SystemCall] = []
    /// The index of each process's call whose rest is not read yet.
    var unfinished: [String: Int] = [:]
    var hasStarted = false
    guard let list = FileManager.default.contents(atPath: path) else {
      throw HarnessFailure("strace has written no list at \(path)")
    }
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      // With copies, the number of the process comes first.
      let process = line.prefix { $0.isNumber }
      if !processes.contains(process) { processes.append(process) }
      let line = line.dropFirst(process.count).drop { $0 == " " }
      // strace writes the rest of a call later, if another process makes a call meanwhile.
      if let rest = line.firstMatch(of: /^<\.\.\. (\w+) resumed>/),
        let index = unfinished.removeValue(forKey: String(process))
      {
        calls[index].line += line[rest.range.upperBound...]
        continue
      }
      guard let end = line.firstIndex(of: "("), line.first?.isLetter == true else { continue }
      let name = String(line[..<end])
      let number = counts["\(process) \(name)", default: 0] + 1
      counts["\(process) \(name)"] = number
      hasStarted = hasStarted || line.contains(start)
      if hasStarted, copy == nil || processes.firstIndex(of: process) == copy {
        if line.hasSuffix("<unfinished ...>") { unfinished[String(process)] = calls.count }
        calls.append(SystemCall(name: name, number: number, line: String(line)))
      }
    }
    guard !calls.isEmpty else { throw HarnessFailure("no line of the list contains \(start)") }
    return calls
  }
}

/// One system call of a program run, numbered as strace numbers it.
package struct SystemCall: Sendable, Hashable, CustomStringConvertible {
  /// The name.
  package let name: String

  /// The number of calls with this name up to and including this one.
  package let number: Int

  /// The line that strace wrote.
  package fileprivate(set) var line: String

  /// Creates the `number`th call with a name.
  package init(name: String, number: Int, line: String = "") {
    self.name = name
    self.number = number
    self.line = line
  }

  /// The call, for example `fdatasync#2`.
  package var description: String { "\(name)#\(number)" }
}
