/// What the helper cannot work with in the process that its client started it in.
public struct ProcessFault: Equatable, Sendable {
  /// The number in a message. A client takes one that it does not know for another fault.
  public let number: UInt8

  /// A fault from its number in a message.
  public init(number: UInt8) { self.number = number }

  /// A resource limit is too low: its number, 0 to 15 (getrlimit(2)).
  public static func resourceLimit(_ number: UInt8) -> ProcessFault {
    ProcessFault(number: number & 15)
  }

  /// The niceness is above 0 and cannot be lowered.
  public static var niceness: ProcessFault { ProcessFault(number: 32) }

  /// The scheduling policy is SCHED_IDLE and cannot be left.
  public static var schedulingPolicy: ProcessFault { ProcessFault(number: 33) }

  /// The caller has as many helpers as one user may have at once.
  public static var tooManyHelpers: ProcessFault { ProcessFault(number: 34) }
}
