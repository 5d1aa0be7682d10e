import Dispatch

/// The signal with which the service manager stops a program.
package enum StopSignal {
  private static let queue = DispatchQueue(label: "signals")
  private static let terminate: Int32 = 15
  private static let interrupt: Int32 = 2

  /// Waits for SIGTERM or SIGINT. From the call on, the signals do not end the process.
  package static func wait() async {
    let (signals, arrived) = AsyncStream.makeStream(of: Void.self)
    let sources = [terminate, interrupt].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { arrived.yield() }
      source.activate()
      return source
    }
    for await _ in signals { break }
    for source in sources { source.cancel() }
  }
}
