import Foundation
import MFAMessages
import MFAWire
import MFABase
import Testing

@testable import MultiFactor
@testable import mfa_enroll

@Suite struct RecoverySheetTests {
  /// A sheet with two codes.
  static func sheet(replacesOlder: Bool = true) -> RecoverySheet {
    let heading = RecoverySheet.Heading(
      account: "alice", host: "web1", date: "2026-11-23", replacesOlder: replacesOlder)
    let codes = "aaaa-bbbb-cccc-dddd" + "2222-3333-4444-5555"
    return RecoverySheet(
      RecoveryCodes(RecoveryCodeList(text: SecretBytes(copying: Array(codes.utf8).span))), heading,
      in: .english)
  }

  private static func text(of sheet: borrowing RecoverySheet) -> String {
    let span = sheet.text.span
    return String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
  }

  @Test("a sheet names the account, the host and the date above the codes")
  func heading() {
    let text = Self.text(of: Self.sheet())
    #expect(
      text == """
        Recovery codes for alice on web1, made 2026-11-23

          aaaa-bbbb-cccc-dddd
          2222-3333-4444-5555

        Each code signs you in once if you don't have your device.
        Older codes no longer work. Keep this sheet apart from your
        device.

        """)
  }
  @Test("a first sheet does not mention older codes")
  func first() {
    let text = Self.text(of: Self.sheet(replacesOlder: false))
    #expect(
      text.hasSuffix(
        """
        Each code signs you in once if you don't have your device.
        Keep this sheet apart from your device.

        """), "\(text)")
  }
}
