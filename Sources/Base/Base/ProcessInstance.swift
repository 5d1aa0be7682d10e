import MFACPOSIX

/// An identifier that is unique among all processes that this machine ever runs: the boot ID, the
/// process ID and the process's start time.
package struct ProcessInstance: Equatable, Sendable {
  /// The boot ID, the process ID and the start time, in this order.
  package let bytes: [UInt8]

  /// The maximum number of processes that `enclosing` examines.
  private static var mostAncestors: Int { 64 }

  /// The length of the boot ID in bytes.
  private static var bootLength: Int { 36 }

  /// The identifier of this process's session leader, or nil if the leader cannot be determined or
  /// is not visible to this process.
  package static var ownSession: ProcessInstance? {
    let leader = getsid(0)
    guard leader > 0, let boot, let process = RunningProcess(leader) else { return nil }
    return ProcessInstance(boot, leader, process.start)
  }

  /// Whether this process leads its session.
  package static var isLeader: Bool { getsid(0) == getpid() }

  /// The identifiers of this process and its ancestors, nearest first, as far as they can be
  /// determined.
  package static var enclosing: [ProcessInstance] {
    guard let boot else { return [] }
    var marks: [ProcessInstance] = []
    var number = getpid()
    while number > 0, marks.count < mostAncestors, let process = RunningProcess(number) {
      marks.append(ProcessInstance(boot, number, process.start))
      number = process.parent
    }
    return marks
  }

  /// Returns the start time in the bytes of an identifier, in seconds since the machine was started,
  /// or nil if the bytes are no identifier.
  package static func start(in bytes: [UInt8]) -> Int64? {
    guard bytes.count == bootLength &+ 12 else { return nil }
    let ticks = bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(clamping: ticks / ticksPerSecond)
  }

  /// The unit of start times in /proc, which is the same on all architectures of Linux (USER_HZ).
  private static var ticksPerSecond: UInt64 { 100 }

  private init(_ boot: [UInt8], _ number: pid_t, _ ticks: UInt64) {
    var bytes = boot
    for shift in [24, 16, 8, 0] as [Int32] {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
    for shift in [56, 48, 40, 32, 24, 16, 8, 0] as [UInt64] {
      bytes.append(UInt8(truncatingIfNeeded: ticks >> shift))
    }
    self.bytes = bytes
  }

  /// The boot ID, which is new each time the machine is started.
  private static var boot: [UInt8]? {
    let identity = File.contents(
      at: ("/proc/sys/kernel/random/boot_id" as StaticString).bytes, atMost: bootLength)
    return identity?.count == bootLength ? identity : nil
  }
}
