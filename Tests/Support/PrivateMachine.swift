import Foundation
import Testing

/// The machine on which tests may change accounts, services and system files.
public enum PrivateMachine {
  /// Whether the tests run in a private machine; see packaging/private-machine.
  public static var isHere: Bool {
    ProcessInfo.processInfo.environment["MFA_PRIVATE_MACHINE"] == "1"
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests that change the system, unless they run in the private machine.
  public static var privateMachine: Self {
    .enabled("run packaging/test") { PrivateMachine.isHere }
  }
}
