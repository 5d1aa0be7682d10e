import MFACPOSIX

/// Functions with which a process starts copies of itself and waits for them.
package enum WorkerProcess {
  /// What `start` returns in each of the two processes.
  package enum Started: Equatable, Sendable {
    /// In the process that called it: the ID of the copy.
    case copy(Int32)
    /// In the copy.
    case thisProcess
  }

  /// What happens to a copy when the process ends that has started it.
  package enum ParentsEnd: Sendable {
    /// The copy ends at once.
    case ends
    /// The copy ends as after `stop`. The process that starts it must block SIGTERM, as `Attention`
    /// does.
    case stops
  }

  /// Starts a copy of this process. `stop` ends the copy only while it runs `stoppable`.
  package static func start(
    whenThisEnds consequence: ParentsEnd = .ends
  ) throws(SystemError) -> Started {
    let process = cposix_fork(consequence == .stops ? SIGTERM : SIGKILL)
    guard process >= 0 else { throw SystemError.last(.process) }
    guard process == 0 else { return .copy(process) }
    _ = cposix_mask_signals(SIG_SETMASK, stopSignal, nil)
    return .thisProcess
  }

  /// SIGTERM. Signal 1 is bit 0.
  private static var stopSignal: UInt64 { 1 << UInt64(SIGTERM - 1) }

  /// Calls `body`, during which `stop` ends this copy.
  package static func stoppable<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    _ = cposix_mask_signals(SIG_UNBLOCK, stopSignal, nil)
    defer { _ = cposix_mask_signals(SIG_BLOCK, stopSignal, nil) }
    return try body()
  }

  /// Waits for the end of a copy.
  package static func wait(for process: Int32) {
    while waitpid(process, nil, 0) < 0, cposix_errno() == EINTR {}
  }

  /// Returns the ID of a copy that has ended, or nil if none has ended since the last call.
  package static func nextEnded() -> Int32? {
    let process = waitpid(-1, nil, WNOHANG)
    return process > 0 ? process : nil
  }

  /// Ends a copy as soon as it runs `stoppable`.
  package static func stop(_ process: Int32) { _ = kill(process, SIGTERM) }

  /// Ends a copy at once.
  package static func end(_ process: Int32) { _ = kill(process, SIGKILL) }

  /// Ends this process, without running anything that was prepared for its end.
  package static func leave(_ status: Int32) -> Never { _exit(status) }
}

/// The time after which the kernel ends this process (alarm(2)).
package enum Alarm {
  /// Sets the time in seconds; 0 switches the alarm off.
  package static func set(seconds: UInt32) { _ = alarm(seconds) }
}
