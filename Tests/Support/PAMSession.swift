import CTestSupport
import Foundation

/// An application that asks PAM whether somebody may sign in and use the account, and whose person
/// answers what is asked, see pam-client/main.c.
public final class PAMSession {
  /// The application's process.
  public let process: ChildProcess
  private var toApplication: Descriptor?
  private let fromApplication: Descriptor
  private let complaints: Descriptor
  private var output: [UInt8] = []
  private var seen = 0
  private var isOver = false
  private var tracer: ChildProcess?

  /// Starts the application. `wrapper` is a command line that the application's own is appended to.
  public init(
    service: String, user: String, clockOffset: Int = 0, through wrapper: [String] = []
  ) throws(HarnessFailure) {
    let input = try Pipe()
    let output = try Pipe()
    complaints = try Descriptor.memory()
    let descriptors: [Int32: Int32] = [
      0: input.reading.number, 1: output.writing.number, 2: complaints.number,
    ]
    process = try ChildProcess(
      wrapper + [
        try PAMClient.path(), service, user, "--account", "--clock-offset", "\(clockOffset)",
      ], descriptors: descriptors)
    toApplication = input.takeWriting()
    fromApplication = output.takeReading()
  }

  private struct Event: Decodable {
    let style, text, call, code: String?

    /// Whether nothing is asked after it.
    var isLast: Bool {
      guard let call, let code else { return false }
      return call != "authenticate" || code != "PAM_SUCCESS"
    }
  }

  /// The next question; nil when none comes any more.
  public func question() throws(HarnessFailure) -> String? {
    let deadline = Deadline.usual
    while !isOver {
      while let line = nextLine() {
        let event: Event
        do { event = try JSONDecoder().decode(Event.self, from: line) } catch {
          throw HarnessFailure("pam-client printed a line that is not understood: \(error)")
        }
        isOver = isOver || event.isLast
        if isOver { return nil }
        if event.style == "shown" || event.style == "hidden" { return event.text }
      }
      guard ctest_readable(fromApplication.number, -1, deadline.millisecondsLeft) > 0 else {
        throw HarnessFailure("the application has not asked by the deadline")
      }
      let bytes = try fromApplication.readSome()
      guard !bytes.isEmpty else { return nil }
      output += bytes
    }
    return nil
  }

  private func nextLine() -> Data? {
    guard let end = output[seen...].firstIndex(of: 0x0a) else { return nil }
    defer { seen = end + 1 }
    return Data(output[seen..<end])
  }

  /// Answers the question. That the application has ended is no error: the next `question` tells.
  public func answer(_ answer: PAMClient.Answer) {
    let frame = answer.frame
    let number = toApplication?.number ?? -1
    // SAFETY: the array lives during the call, which reads `count` bytes from it.
    _ = unsafe ctest_write(number, frame, frame.count)
  }

  /// Has strace look at the application, which waits for an answer, from now on.
  public func attach(_ command: [String]) throws(HarnessFailure) {
    tracer = try process.trace(with: command)
  }

  /// Waits for the end of the application; returns what it saw.
  public func finish() throws(HarnessFailure) -> PAMOutcome {
    while try question() != nil { answer(.failure) }
    // The application reads on, to see whether there are answers that nobody has asked for.
    toApplication = nil
    while true {
      let bytes = try fromApplication.readSome()
      guard !bytes.isEmpty else { break }
      output += bytes
    }
    guard let status = try process.wait() else {
      throw HarnessFailure("the application still runs at the deadline")
    }
    // It writes its list to the end.
    _ = try tracer?.wait()
    return try PAMOutcome(
      status: status, output: output,
      errors: String(decoding: try complaints.contents(), as: UTF8.self))
  }
}
