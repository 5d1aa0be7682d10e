import MFAWire
import MFABase

/// What each process of a pool does: it serves one connection after the other. Whatever happens to the
/// process concerns only the connection that it serves.
package protocol PoolWorker {
  /// The socket whose connections are served.
  var listener: PacketListener { get }

  /// What the processes of the pool know of each other.
  var share: WorkerShare { get }

  /// The name of the service in log lines.
  var part: StaticString { get }

  /// Serves a connection to its end.
  func serve(_ connection: PacketConnection) throws(SystemError)
}

/// The time limits of requests.
package enum RequestLimit {
  /// How long the other end may take to send its first message, in seconds.
  package static var firstMessage: Int64 { ProtocolDeadline.start }

  /// How long a request may take, in seconds. The kernel then
  /// ends this process (alarm(2)).
  package static var working: UInt32 { 60 }
}

extension PoolWorker {
  /// Serves connections until the process has served its number, or is not needed any more.
  package func run() {
    for _ in 0..<WorkerShare.connectionsPerProcess {
      do throws(SystemError) {
        try serve(
          try WorkerProcess.stoppable { () throws(SystemError) in try listener.accept() })
      } catch {
        var line = LogLine()
        line.add("result", "error")
        line.add("part", part)
        line.add(error)
        Log.write(.error, line)
        return
      }
      guard share.end() else { return }
    }
  }
}
