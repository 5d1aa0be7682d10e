import Foundation
import Testing

/// Where tests may change accounts, services and files of the system.
public enum PrivateMachine {
  /// Whether the tests run in a machine of their own, see packaging/private-machine.
  public static var isHere: Bool {
    ProcessInfo.processInfo.environment["MFA_PRIVATE_MACHINE"] == "1"
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests that change the system, unless the system is theirs.
  public static var privateMachine: Self {
    .enabled("run packaging/test") { PrivateMachine.isHere }
  }
}
