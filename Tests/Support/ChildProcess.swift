import Foundation
import Glibc
import MFACTestSupport

/// A program that a test started, in a new session.
///
/// The program is killed when the value is destroyed, if it is still running. It is addressed by a
/// process descriptor (pidfd), so a process that reuses its number is never signalled.
package final class ChildProcess {
  /// The process number.
  package let number: Int32

  /// The command line, for messages.
  package let commandLine: [String]

  let reference: Descriptor
  private var status: ExitStatus?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: the program's absolute path and its arguments.
  ///   - identity: the user and groups that the program runs as.
  ///   - environment: variables in addition to those of a login; nothing is inherited from the
  ///     tests.
  ///   - descriptors: the open descriptors of the program, keyed by number. No other descriptor is
  ///     open.
  ///   - terminal: the controlling terminal of the session, also opened as descriptors 0 to 2.
  ///   - directory: the working directory.
  /// - Throws: the operating system's error, if the program could not be started.
  package init(
    _ arguments: [String], as identity: Identity = .current, environment: [String: String] = [:],
    descriptors: [Int32: Int32] = [:], terminal: String? = nil, directory: String = "/"
  ) throws(HarnessFailure) {
    commandLine = arguments
    let started = identity.commandLine(arguments)
    let variables = identity.environment.merging(environment) { _, own in own }
      .map { "\($0.key)=\($0.value)" }.sorted()
    let targets = descriptors.keys.sorted()
    let sources = targets.compactMap { descriptors[$0] }
    var child: Int32 = -1
    var reference: Int32 = -1
    // SAFETY: every array and string lives during the call, which keeps none of them; the counts
    // are the lengths of the arrays.
    let result = unsafe ctest_spawn(
      Self.packed(started), started.count, Self.packed(variables), variables.count, sources,
      targets, targets.count, terminal, directory, &child, &reference)
    guard result == 0 else {
      throw HarnessFailure("\(started.joined(separator: " ")): \(errorText(-result))")
    }
    number = child
    self.reference = try Descriptor(takingOver: reference, from: "pidfd_open")
  }

  deinit {
    guard status == nil else { return }
    _ = ctest_kill(reference.number, SIGKILL)
    var code: Int32 = 0
    var signal: Int32 = 0
    // SAFETY: the call writes one number to each pointer.
    _ = unsafe ctest_wait(reference.number, 20_000, &code, &signal)
  }

  /// Sends a signal, if the program is still running.
  package func send(signal: Int32) {
    guard status == nil else { return }
    _ = ctest_kill(reference.number, signal)
  }

  /// Stops the program, and waits until all its threads have stopped. On a busy machine, a thread can
  /// run for some milliseconds after the signal, and answer a request.
  package func suspend() throws(HarnessFailure) {
    send(signal: SIGSTOP)
    guard Deadline.usual.waits(until: { ctest_has_stopped(reference.number) == 1 }) else {
      throw HarnessFailure("\(commandLine.joined(separator: " ")) is not stopped")
    }
  }

  /// Lets the program continue after `suspend()`.
  package func resume() { send(signal: SIGCONT) }

  /// Waits for the program to end. Returns its exit status, or nil if it is still running at the
  /// deadline.
  package func wait(until deadline: Deadline = .usual) throws(HarnessFailure) -> ExitStatus? {
    if let status { return status }
    var code: Int32 = 0
    var signal: Int32 = 0
    // SAFETY: the call writes one number to each pointer.
    let result = unsafe ctest_wait(reference.number, deadline.millisecondsLeft, &code, &signal)
    guard result >= 0 else { throw HarnessFailure("waitid failed: \(errorText(-result))") }
    guard result == 1 else { return nil }
    status = signal == 0 ? .exited(code) : .killed(signal: signal)
    return status
  }

  /// Returns the strings concatenated, each followed by a NUL.
  private static func packed(_ strings: [String]) -> [CChar] {
    strings.flatMap { $0.utf8CString } + [0]
  }
}

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
