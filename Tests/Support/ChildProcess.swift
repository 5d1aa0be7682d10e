import CTestSupport
import Glibc

/// A program that a test started, in a session of its own.
///
/// It is killed when the value ends, if it still runs. It is known by a descriptor, so that no
/// other process that was given its number meanwhile can be hit.
public final class ChildProcess {
  /// The number of the process.
  public let number: Int32

  /// What was started, for messages.
  public let commandLine: [String]

  let reference: Descriptor
  private var status: ExitStatus?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: the program's absolute path and its arguments.
  ///   - identity: whom it runs as.
  ///   - environment: variables beside those of a login; nothing is inherited from the tests.
  ///   - descriptors: what the program has open, and as which number. Nothing else is open.
  ///   - terminal: the terminal that controls its session, which is also descriptors 0 to 2.
  ///   - directory: where it runs.
  /// - Throws: what the operating system said when the program could not be started.
  public init(
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
    // are those of the arrays.
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
    // SAFETY: the call writes one number to each place.
    _ = unsafe ctest_wait(reference.number, 20_000, &code, &signal)
  }

  /// Sends a signal, unless it has ended.
  public func send(signal: Int32) {
    guard status == nil else { return }
    _ = ctest_kill(reference.number, signal)
  }

  /// How it ended, or nothing when it still runs at the deadline.
  public func wait(until deadline: Deadline = .usual) throws(HarnessFailure) -> ExitStatus? {
    if let status { return status }
    var code: Int32 = 0
    var signal: Int32 = 0
    // SAFETY: the call writes one number to each place.
    let result = unsafe ctest_wait(reference.number, deadline.millisecondsLeft, &code, &signal)
    guard result >= 0 else { throw HarnessFailure("waitid failed: \(errorText(-result))") }
    guard result == 1 else { return nil }
    status = signal == 0 ? .exited(code) : .killed(signal: signal)
    return status
  }

  /// Strings, each followed by a NUL.
  private static func packed(_ strings: [String]) -> [CChar] {
    strings.flatMap { $0.utf8CString } + [0]
  }
}
