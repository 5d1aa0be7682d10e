import MFAAdminTestSupport
import MFADoctor
import MFAPAMStack
import Testing

@testable import MFAAdmin
@testable import MFAServices

@Suite struct SecureShellObstacleTests {
  static let errors: [AdminError] = [
    SecureShellObstacle.notInstalled, SecureShellObstacle.keyRequired, SecureShellObstacle.occupied,
    SecureShellObstacle.notIncluded,
    SecureShellObstacle.refused(
      "sshd -t", "Missing privilege separation directory: /run/sshd"),
    SecureShellObstacle.refused("sshd -t", "x"),
    SecureShellObstacle.overridden([("UsePAM", "\u{1B}")]),
    .stack(service: "x", file: "/x", reason: StackProof.noPassword),
    .stack(service: "x", file: "/x", reason: AccountLine.missing.sentence),
    .stack(
      service: "x", file: "/x",
      reason: StackRefusal.tooLong(file: [0x1B]).located),
  ]

  @Test func everyObstacleHasMessageAndHint() {
    for (number, error) in Self.errors.enumerated() {
      #expect(error.status == .failure, "case \(number)")
      for text in [error.message, error.hint] {
        #expect(
          !text.isEmpty && isHarmless(text) && !text.contains("\n"), "case \(number): \(text)")
        #expect(!text.hasSuffix("."), "case \(number): \(text)")
      }
    }
  }
}
