import Testing

@testable import mfa_enroll

@Suite struct RecoverySheetTests {
  @Test(
    "a low number of recovery codes causes a warning",
    arguments: [
      (0, "no recovery code is left"), (1, "1 recovery code is left"),
      (3, "3 recovery codes are left"), (4, nil), (10, nil),
    ] as [(Int, String?)])
  func warning(left: Int, text: String?) {
    let warning = text.map { "\($0)\nhint: make new ones with mfa-enroll recovery-codes --new" }
    #expect(RecoveryCodeDisplay.warning(left: left) == warning)
  }
}
