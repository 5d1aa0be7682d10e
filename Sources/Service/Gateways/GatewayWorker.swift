import MFABase
import MFAAttempt
import MFAModel

/// A process that takes one message after the other and runs the gateway with it.
///
/// MUST 1: messages are accepted only from root and from the user `mfa`.
/// (`GatewayServiceTests.otherUsers`)
/// MUST 2: a gateway gets the message on its standard input and nothing else: no arguments, no
/// descriptors, and of the environment only PATH and LC_ALL. (`GatewayServiceTests.environment`)
/// MUST 3: a gateway that takes too long is killed with its children, and a gateway whose worker is
/// killed is killed too. (`GatewayServiceTests.hangingGateway`, `.killedWorker`)
/// MUST 4: the log has neither the number nor the text. (`GatewayServiceTests.log`)
struct GatewayWorker {
  let listener: PacketListener
  /// The user ID of `mfa`.
  let client: UInt32

  /// How long a client may take to send its message, in seconds.
  private static var patience: Int64 { 2 }
  /// How long a run of the gateway may take, in seconds.
  private static var longestRun: Int32 { 10 }
  /// The number of runs, if the gateway asks for another one.
  private static var runs: Int { 2 }
  /// The number of messages after which the process is replaced.
  private static var messages: Int { 100 }
  /// The exit status of a gateway that asks to be run again (EX_TEMPFAIL, sysexits(3)).
  private static var again: Int32 { 75 }
  /// The seconds after which the kernel ends this process.
  private static var longest: UInt32 { 60 }

  private static var environment: [[UInt8]] {
    [
      ("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" as StaticString).bytes,
      ("LC_ALL=C.UTF-8" as StaticString).bytes,
    ]
  }

  /// Serves connections until the process has served its number.
  func run() {
    for _ in 0..<Self.messages {
      do throws(SystemError) {
        let connection = try WorkerProcess.stoppable { () throws(SystemError) in
          try listener.accept()
        }
        Alarm.set(seconds: Self.longest)
        defer { Alarm.set(seconds: 0) }
        try serve(connection)
      } catch {
        var line = LogLine()
        line.add("result", "error")
        line.add("part", "gateway")
        line.add(error)
        Log.write(.error, line)
      }
    }
  }

  private func serve(_ connection: PacketConnection) throws(SystemError) {
    let user = try connection.peer().user
    guard user == 0 || user == client else {
      var line = LogLine()
      line.add("gateway", GatewayReply.refused.name)
      line.add("uid", Int64(user))
      Log.write(.warning, line)
      return try connection.send(GatewayReply.refused.packet.span)
    }
    guard case .packet(let count) = try connection.nextPacket(seconds: Self.patience),
      count <= Program.longestInput
    else { return }
    var bytes = SecretBytes(count: count)
    var sender = Peer(process: 0, user: .max)
    let received = try bytes.withMutableSpan { span throws(SystemError) in
      try connection.receive(into: &span, from: &sender)
    }
    guard received == count, let message = GatewayMessage(bytes.span) else {
      return try connection.send(GatewayReply.refused.packet.span)
    }
    let start = Clock.nanoseconds()
    let reply = deliver(message)
    log(reply, message.id, nanoseconds: Clock.nanoseconds() &- start)
    try connection.send(reply.packet.span)
  }

  private func deliver(_ message: borrowing GatewayMessage) -> GatewayReply {
    let path: [UInt8]
    do throws(ConfigurationError) {
      guard let gateway = try ConfigurationFile.read().project.gateway else { return .notSet }
      path = gateway
    } catch {
      return .notSet
    }
    for _ in 1..<Self.runs {
      let reply = deliver(message, with: path)
      guard reply == .failed(UInt8(truncatingIfNeeded: Self.again)) else { return reply }
    }
    return deliver(message, with: path)
  }

  private func deliver(
    _ message: borrowing GatewayMessage, with path: [UInt8]
  ) -> GatewayReply {
    // Checked for each run, because the file may have changed.
    if let refusal = GatewayRefusal.of(path) { return .unusable(refusal) }
    do throws(SystemError) {
      let end = try Program.run(
        path, input: message.span, environment: Self.environment, seconds: Self.longestRun)
      return switch end {
      case nil: .tookTooLong
      case .killed: .killed
      case .exited(0): .accepted
      case .exited(let status): .failed(UInt8(truncatingIfNeeded: status))
      }
    } catch {
      return .notStarted(UInt8(truncatingIfNeeded: error.number))
    }
  }

  private func log(_ reply: GatewayReply, _ id: SendID, nanoseconds: Int64) {
    var line = LogLine()
    line.add("gateway", reply.name)
    line.add("id", escaping: id.text)
    if let number = reply.number { line.add("status", Int64(number)) }
    line.add("ms", max(nanoseconds, 0) / 1_000_000)
    Log.write(reply == .accepted ? .information : .warning, line)
  }
}
