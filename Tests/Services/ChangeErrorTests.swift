import MFAAdminTestSupport
import MFAAttempt
import MFADoctor
import MFABase
import Testing

@testable import MFAAdmin
@testable import MFAServices

@Suite struct ChangeErrorTests {
  static let full = SystemError(.write, number: 28)

  static let errors: [(ChangeError, Int32)] = [
    (.notAService("\u{1B}"), 2), (.noServiceFile("x"), 2), (.nothingToConfirm, 2),
    (.file("/\u{9B}", .system(full)), 1), (.file("/x", .untrusted(.symbolicLink)), 1),
    (.report("/x", .untrusted(.wrongPermissions)), 1),
    (.file("/x", .changed), 1), (.stack(service: "x", file: "/x", .noPassword), 1),
    (.stack(service: "x", file: "/x", .account(.missing)), 1),
    (.stack(service: "x", file: "/x", .unknown(.tooLong(file: [0x1B]))), 1),
    (.secureShell(.notInstalled), 1), (.secureShell(.keyRequired), 1), (.secureShell(.occupied), 1),
    (.secureShell(.notIncluded), 1),
    (.secureShell(.refused("sshd -t", "Missing privilege separation directory: /run/sshd")), 1),
    (.secureShell(.refused("sshd -t", "x")), 1),
    (.secureShell(.overridden([("UsePAM", "\u{1B}")])), 1), (.module("x"), 1),
    (
      .configuration(
        ConfigurationFile.Failure(Array("/etc/\u{1B}".utf8), .untrusted(.wrongOwner))), 1
    ), (.trial(service: "x", reason: "y"), 1), (.untried(service: "x", reason: "y"), 1),
    (.reload("x"), 1), (.rollbackWatcher("x"), 1),
    (.invalidRecord("/x"), 1),
    (.busy, 1), (.unknownProgram("x"), 1), (.enabledByHand(service: "x", place: "/x:1"), 1),
    (.enabledWith(service: "x", other: "y"), 1),
    (.noNewSignIn([("x", "y")]), 1),
    (.system("x", full), 1), (.rolledBack(.noServiceFile("x")), 2),
    (.rollbackFailed(.busy, .busy), 1), (.auditLog("x", hint: "y"), 1),
    (.acceptances(UnusableAcceptances(path: "/\u{1B}", reason: "it is not JSON")), 1),
  ]

  @Test func rowsContainEveryCase() {
    #expect(Set(Self.errors.map { ChangeErrorCase($0.0) }) == Set(ChangeErrorCase.allCases))
  }

  @Test func helpListsEveryExitStatus() {
    for (number, (error, status)) in Self.errors.enumerated() {
      #expect(error.status.rawValue == status, "case \(number)")
      #expect(AdminStatus.explanation.contains("\n  \(status) "), "case \(number)")
    }
  }

  @Test func everyErrorHasMessageAndHint() {
    for (number, (error, _)) in Self.errors.enumerated() {
      for text in [error.message, error.hint] {
        #expect(
          !text.isEmpty && isHarmless(text) && !text.contains("\n"), "case \(number): \(text)")
        #expect(!text.hasSuffix("."), "case \(number): \(text)")
      }
    }
  }
}
