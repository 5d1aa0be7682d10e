import MFACTestSupport
import Foundation

/// A client of mfa-helper that speaks the protocol of Sources/Wire/Wire/HELPER.md byte by
/// byte.
///
/// It is written independently of the product's own client, so that each verifies the other, and it
/// can send messages that no correct client sends.
package final class HelperSession {
  /// A message with its kind and fields.
  package struct Message: Equatable, Sendable {
    /// The kind of the message.
    package let kind: UInt8

    /// The fields, in order.
    package let fields: [[UInt8]]

    /// Creates a message.
    package init(_ kind: UInt8, _ fields: [[UInt8]] = []) {
      self.kind = kind
      self.fields = fields
    }
  }

  /// The helper's process.
  package let process: ChildProcess
  private let toHelper: Descriptor
  private let fromHelper: Descriptor
  private let complaints: Descriptor
  private var received: [UInt8] = []
  private var tracer: ChildProcess?

  /// The installed path of the helper.
  package static let program = "/usr/lib/mfa/mfa-helper"

  /// Starts a helper for `user`. `environment` holds variables that the caller tries to pass to the
  /// helper.
  package convenience init(
    as user: MachineUser, environment: [String: String] = [:], through wrapper: [String] = []
  ) throws(HarnessFailure) {
    try self.init(identity: user.identity, environment: environment, through: wrapper)
  }

  /// Starts a helper for an identity. Root runs `wrapper`, which executes the command that follows.
  package init(
    identity: Identity, environment: [String: String] = [:], through wrapper: [String] = []
  ) throws(HarnessFailure) {
    let input = try Pipe()
    let output = try Pipe()
    complaints = try Descriptor.memory()
    let descriptors: [Int32: Int32] = [
      0: input.reading.number, 1: output.writing.number, 2: complaints.number,
    ]
    process = try ChildProcess(
      wrapper + identity.commandLine([Self.program]),
      environment: identity.environment.merging(environment) { $1 }, descriptors: descriptors)
    toHelper = input.takeWriting()
    fromHelper = output.takeReading()
  }

  /// Returns what the helper or its wrapper wrote to standard error.
  package func standardError() throws(HarnessFailure) -> String {
    String(decoding: try complaints.contents(), as: UTF8.self)
  }

  /// Sends raw bytes. Does not fail if the helper has ended: the next `receive` reports that.
  package func send(bytes: [UInt8]) {
    // SAFETY: the array lives during the call, which reads `count` bytes from it.
    _ = unsafe ctest_write(toHelper.number, bytes, bytes.count)
  }

  /// Sends a message.
  package func send(_ kind: UInt8, _ fields: [UInt8]...) {
    let body = [kind] + fields.flatMap { Self.number($0.count, bytes: 2) + $0 }
    send(bytes: Self.number(body.count, bytes: 4) + body)
  }

  /// Returns the next message, or nil if the helper has ended.
  package func receive(until deadline: Deadline = .usual) throws(HarnessFailure) -> Message? {
    while true {
      if let message = nextMessage() { return message }
      guard ctest_readable(fromHelper.number, -1, deadline.millisecondsLeft) > 0 else {
        throw HarnessFailure("the helper has not answered by the deadline")
      }
      let bytes = try fromHelper.readSome()
      guard !bytes.isEmpty else { return nil }
      received += bytes
    }
  }

  /// Sends a message and returns the helper's next message, or nil if the helper has ended.
  package func ask(_ kind: UInt8, _ fields: [UInt8]...) throws(HarnessFailure) -> Message? {
    let body = [kind] + fields.flatMap { Self.number($0.count, bytes: 2) + $0 }
    send(bytes: Self.number(body.count, bytes: 4) + body)
    return try receive()
  }

  /// Attaches strace to the helper, which must be waiting for a request. `command` is strace's
  /// command line from `SystemCallTrace`.
  package func attach(_ command: [String]) throws(HarnessFailure) {
    tracer = try process.trace(with: command)
  }

  /// Waits until the helper has ended, and returns its exit status.
  package func waitForExit() throws(HarnessFailure) -> ExitStatus {
    guard let status = try process.wait() else {
      throw HarnessFailure("the helper is still running at the deadline")
    }
    // strace may still be writing its list.
    _ = try tracer?.wait()
    return status
  }

  // MARK: Conversations

  /// The version of the helper's protocol.
  package static let version: UInt8 = 1

  /// Sends the greeting.
  package func greet() throws(HarnessFailure) -> Message? { try ask(1, [Self.version], [0]) }

  /// Starts a helper for a user, and greets it.
  package static func begun(as user: MachineUser) throws(HarnessFailure) -> HelperSession {
    let session = try HelperSession(as: user)
    _ = try session.greet()
    return session
  }

  /// The display names of the user's factors, oldest first. All of them must be authenticator apps.
  package func appNames() throws(HarnessFailure) -> [String] {
    // A factor has an identifier, a name, a time of enrolment, a kind, three parameters and a last use.
    let fieldsPerApp = 8
    guard let answer = try ask(7), answer.kind == 0x87,
      answer.fields.count == 1 + fieldsPerApp * Int(answer.fields[0][0])
    else { throw HarnessFailure("the factors cannot be listed") }
    return stride(from: 2, to: answer.fields.count, by: fieldsPerApp).map {
      String(decoding: answer.fields[$0], as: UTF8.self)
    }
  }

  /// Says goodbye, and waits until the helper has ended.
  package func end() throws(HarnessFailure) {
    send(11)
    _ = try waitForExit()
  }

  /// Re-authenticates: answers prompts that contain "code" with `code`, and all other prompts with
  /// the password. Returns the message that ends the re-authentication.
  package func prove(password: String, code: String? = nil) throws(HarnessFailure) -> Message? {
    send(2)
    while let message = try receive() {
      switch message.kind {
      case 0x82:
        let text = String(decoding: message.fields.first ?? [], as: UTF8.self)
        let asksForCode = text.lowercased().contains("code")
        send(3, Array((asksForCode ? code ?? "" : password).utf8))
      case 0x83: continue
      default: return message
      }
    }
    return nil
  }

  private func nextMessage() -> Message? {
    guard received.count >= 4 else { return nil }
    let length = received[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard received.count >= 4 + length, length > 0 else { return nil }
    let body = Array(received[4..<4 + length])
    received.removeFirst(4 + length)
    var fields: [[UInt8]] = []
    var rest = body.dropFirst()
    while rest.count >= 2 {
      let count = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
      fields.append(Array(rest.dropFirst(2).prefix(count)))
      rest = rest.dropFirst(2 + count)
    }
    return Message(body[0], fields)
  }

  private static func number(_ number: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
