import Foundation
import Testing

/// The machine on which tests may change accounts, services and system files.
package enum PrivateMachine {
  /// Whether the tests run in a private machine; see packaging/private-machine.
  package static var isHere: Bool {
    ProcessInfo.processInfo.environment["MFA_PRIVATE_MACHINE"] == "1"
  }

  /// Whether the resident service runs in the private machine; see packaging/test.
  package static var hasResidentService: Bool {
    ProcessInfo.processInfo.environment["MFA_RESIDENT_SERVICE"] == "1"
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests that change the system, unless they run in the private machine.
  package static var privateMachine: Self {
    .enabled("run packaging/test") { PrivateMachine.isHere }
  }

  /// Skips tests of what the helper does where no service listens, while the resident service does that
  /// instead.
  package static var withoutResidentService: Self {
    .enabled("the resident service decides") { !PrivateMachine.hasResidentService }
  }

  /// Skips tests of the resident service unless it runs.
  package static var withResidentService: Self {
    .enabled("packaging/test runs these tests a second time, with the resident service") {
      PrivateMachine.hasResidentService
    }
  }
}
