import MFACPOSIX

/// A descriptor through which processes wake each other. It stays open until the process ends.
package final class WakeUp: Sendable {
  let descriptor: Int32

  /// Creates a descriptor, or returns nil if that fails.
  package init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
  }

  /// Wakes a process that waits for it.
  package func raise() {
    var one: UInt64 = 1
    // SAFETY: the call reads the number.
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Forgets earlier calls of `raise`.
  func clear() {
    var number: UInt64 = 0
    // SAFETY: the call writes the number.
    _ = unsafe read(descriptor, &number, MemoryLayout<UInt64>.size)
  }
}

/// What a process that supervises others waits for. Its descriptor stays open until the process ends.
package struct Attention: Sendable {
  private let signals: Int32

  /// Blocks the signals that ask this process to end, and those that report the end of a copy, and
  /// waits for them instead.
  package init() throws(SystemError) {
    let watched = [SIGTERM, SIGINT, SIGHUP, SIGCHLD].reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
    guard cposix_mask_signals(SIG_BLOCK, watched, nil) == 0 else {
      throw SystemError.last(.process)
    }
    signals = cposix_signal_descriptor(watched)
    guard signals >= 0 else { throw SystemError.last(.process) }
  }

  /// Waits until something happens, `seconds` at most; without a limit if `seconds` is nil. Returns
  /// whether this process was asked to end.
  package func wait(for wakeUps: [WakeUp], seconds: Int32?) throws(SystemError) -> Bool {
    var requests = [pollfd(fd: signals, events: Int16(POLLIN), revents: 0)]
    for wakeUp in wakeUps {
      requests.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
    }
    let limit = seconds.map { $0.multipliedReportingOverflow(by: 1000).partialValue } ?? -1
    // SAFETY: the call reads and writes the array, whose length it is given.
    _ = try retrying(.poll) { unsafe poll(&requests, nfds_t(requests.count), limit) }
    for wakeUp in wakeUps { wakeUp.clear() }
    return takeSignals()
  }

  /// Takes the pending signals. Returns whether one of them asks this process to end.
  private func takeSignals() -> Bool {
    var mustEnd = false
    var signal = signalfd_siginfo()
    // SAFETY: the call writes at most the structure.
    while unsafe read(signals, &signal, MemoryLayout<signalfd_siginfo>.size) > 0 {
      if signal.ssi_signo != UInt32(SIGCHLD) { mustEnd = true }
    }
    return mustEnd
  }
}
