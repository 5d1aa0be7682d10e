import MFACTestSupport
import Foundation

/// A PAM application that signs a user in and checks the account, and whose prompts the test
/// answers one by one; see pam-client/main.c.
package final class PAMSession {
  /// The application's process.
  package let process: ChildProcess
  private var toApplication: Descriptor?
  private let fromApplication: Descriptor
  private let complaints: Descriptor
  private var output: [UInt8] = []
  private var seen = 0
  private var isOver = false
  private var tracer: ChildProcess?

  /// Starts the application. The application's command line is appended to `wrapper`.
  package init(
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

    /// Whether no prompt can follow this event.
    var isLast: Bool {
      guard let call, let code else { return false }
      return call != "authenticate" || code != "PAM_SUCCESS"
    }
  }

  /// Waits for the next prompt; returns nil if no further prompt comes.
  package func question() throws(HarnessFailure) -> String? {
    let deadline = Deadline.usual
    while !isOver {
      while let line = nextLine() {
        let event: Event
        do { event = try JSONDecoder().decode(Event.self, from: line) } catch {
          throw HarnessFailure("pam-client printed an invalid line: \(error)")
        }
        isOver = isOver || event.isLast
        if isOver { return nil }
        if event.style == "shown" || event.style == "hidden" { return event.text }
      }
      guard ctest_readable(fromApplication.number, -1, deadline.millisecondsLeft) > 0 else {
        throw HarnessFailure("the application has not prompted by the deadline")
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

  /// Answers the prompt. Does not fail if the application has ended: the next `question` reports
  /// that.
  package func answer(_ answer: PAMClient.Answer) {
    let frame = answer.frame
    let number = toApplication?.number ?? -1
    // SAFETY: the array lives during the call, which reads `count` bytes from it.
    _ = unsafe ctest_write(number, frame, frame.count)
  }

  /// Attaches strace to the application, which must be waiting for an answer.
  package func attach(_ command: [String]) throws(HarnessFailure) {
    tracer = try process.trace(with: command)
  }

  /// Waits until the application has ended; returns its outcome.
  package func finish() throws(HarnessFailure) -> PAMOutcome {
    while try question() != nil { answer(.failure) }
    // The application reads to the end to detect unused answers.
    toApplication = nil
    while true {
      let bytes = try fromApplication.readSome()
      guard !bytes.isEmpty else { break }
      output += bytes
    }
    guard let status = try process.wait() else {
      throw HarnessFailure("the application is still running at the deadline")
    }
    // strace may still be writing its list.
    _ = try tracer?.wait()
    return try PAMOutcome(
      status: status, output: output,
      errors: String(decoding: try complaints.contents(), as: UTF8.self))
  }
}
