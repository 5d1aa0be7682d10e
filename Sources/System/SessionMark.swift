import CPOSIX

/// What tells a process from every other one that this machine has had or will have, for as long as
/// it runs and after: which start of the machine, its number, and when it was started.
public struct SessionMark: Equatable, Sendable {
  /// The parts one after the other.
  public let bytes: [UInt8]

  /// How many ancestors are looked at.
  private static var mostAncestors: Int { 64 }

  /// The length of a start's identity in bytes.
  private static var bootLength: Int { 36 }

  /// The mark of the process that leads the session of this one; nil where that cannot be found out, or
  /// is none that this one can see.
  public static var ownSession: SessionMark? {
    let leader = getsid(0)
    guard leader > 0, let boot, let process = RunningProcess(leader) else { return nil }
    return SessionMark(boot, leader, process.start)
  }

  /// Whether this process leads its session.
  public static var isLeader: Bool { getsid(0) == getpid() }

  /// The marks of this process and of those above it, as far as they can be found out, the nearest
  /// first.
  public static var enclosing: [SessionMark] {
    guard let boot else { return [] }
    var marks: [SessionMark] = []
    var number = getpid()
    while number > 0, marks.count < mostAncestors, let process = RunningProcess(number) {
      marks.append(SessionMark(boot, number, process.start))
      number = process.parent
    }
    return marks
  }

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

  /// Which start of the machine this is.
  private static var boot: [UInt8]? {
    var identity = [CChar](repeating: 0, count: bootLength)
    // SAFETY: the call writes 36 bytes at most.
    let status = unsafe identity.withUnsafeMutableBufferPointer { identity -> Int32 in
      guard let base = identity.baseAddress else { return -1 }
      return unsafe cposix_boot_identity(base)
    }
    return status == 0 ? identity.map { UInt8(bitPattern: $0) } : nil
  }
}
