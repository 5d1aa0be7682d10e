import CTestSupport
import Foundation

/// A client of mfa-helper that speaks its protocol byte by byte, as
/// Sources/HelperProtocol/PROTOCOL.md has it: written apart from the product's own client, so that
/// the two check each other, and able to say what no client should.
public final class HelperSession {
  /// A message: its kind, and its fields.
  public struct Message: Equatable, Sendable {
    /// What kind it is of.
    public let kind: UInt8

    /// Its fields, in order.
    public let fields: [[UInt8]]

    /// A message to compare with.
    public init(_ kind: UInt8, _ fields: [[UInt8]] = []) {
      self.kind = kind
      self.fields = fields
    }
  }

  /// The helper's process.
  public let process: ChildProcess
  private let toHelper: Descriptor
  private let fromHelper: Descriptor
  private let complaints: Descriptor
  private var received: [UInt8] = []
  private var tracer: ChildProcess?

  /// Where the helper is installed.
  public static let program = "/usr/lib/mfa/mfa-helper"

  /// Starts a helper for `user`. `environment` holds variables that the caller tries to hand to it.
  public convenience init(
    as user: MachineUser, environment: [String: String] = [:], through wrapper: [String] = []
  ) throws(HarnessFailure) {
    try self.init(identity: user.identity, environment: environment, through: wrapper)
  }

  /// Starts a helper for somebody. Root runs `wrapper`, which gives its process over to the command
  /// that follows.
  public init(
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

  /// What the helper, or what ran it, wrote to standard error.
  public func standardError() throws(HarnessFailure) -> String {
    String(decoding: try complaints.contents(), as: UTF8.self)
  }

  /// Sends bytes as they are. A helper that has ended is no error: the next `receive` tells.
  public func send(bytes: [UInt8]) {
    // SAFETY: the array lives during the call, which reads `count` bytes from it.
    _ = unsafe ctest_write(toHelper.number, bytes, bytes.count)
  }

  /// Sends a message.
  public func send(_ kind: UInt8, _ fields: [UInt8]...) {
    let body = [kind] + fields.flatMap { Self.number($0.count, bytes: 2) + $0 }
    send(bytes: Self.number(body.count, bytes: 4) + body)
  }

  /// The next message, or nothing when the helper has ended.
  public func receive(until deadline: Deadline = .usual) throws(HarnessFailure) -> Message? {
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

  /// Sends a message and returns the one that comes next.
  public func ask(_ kind: UInt8, _ fields: [UInt8]...) throws(HarnessFailure) -> Message? {
    let body = [kind] + fields.flatMap { Self.number($0.count, bytes: 2) + $0 }
    send(bytes: Self.number(body.count, bytes: 4) + body)
    return try receive()
  }

  /// Has strace look at the helper, which waits for a request, from now on. `command` is strace's
  /// command line, as `SystemCallTrace` gives it.
  public func attach(_ command: [String]) throws(HarnessFailure) {
    tracer = try process.trace(with: command)
  }

  /// Waits for the end of the helper.
  public func waitForExit() throws(HarnessFailure) -> ExitStatus {
    guard let status = try process.wait() else {
      throw HarnessFailure("the helper still runs at the deadline")
    }
    // It writes its list to the end.
    _ = try tracer?.wait()
    return status
  }

  // MARK: Conversations

  /// Says hello.
  public func greet() throws(HarnessFailure) -> Message? { try ask(1, [1]) }

  /// Re-authenticates: the password for every hidden prompt but the last kind, which asks for a
  /// present factor's code. Returns the message that ends it.
  public func prove(password: String, code: String? = nil) throws(HarnessFailure) -> Message? {
    send(2)
    while let message = try receive() {
      switch message.kind {
      case 0x82:
        let text = String(decoding: message.fields.first ?? [], as: UTF8.self)
        let asksForCode = text.contains("code")
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
