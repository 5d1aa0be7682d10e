/// The attribute of the helper's process, inherited from its client, that makes the helper refuse
/// to run.
package struct ProcessFault: Equatable, Sendable {
  /// The number in a message. A client must accept numbers that it does not know.
  package let number: UInt8

  /// Creates a fault from its number in a message.
  package init(number: UInt8) { self.number = number }

  /// A resource limit is too low: its number, 0 to 15 (getrlimit(2)).
  package static func resourceLimit(_ number: UInt8) -> ProcessFault {
    ProcessFault(number: number & 15)
  }

  /// The niceness is above 0 and cannot be lowered.
  package static var niceness: ProcessFault { ProcessFault(number: 32) }

  /// The scheduling policy is SCHED_IDLE and cannot be changed.
  package static var schedulingPolicy: ProcessFault { ProcessFault(number: 33) }

  /// The caller runs as many helpers as one user may run at once.
  package static var tooManyHelpers: ProcessFault { ProcessFault(number: 34) }
}
