import MFAAttempt
import MFABase
import MFAModel
import Testing

@Suite("Recovery codes")
struct RecoveryCodeTests {
  private func text(_ bytes: borrowing SecretBytes) -> String {
    var characters: [UInt8] = []
    for index in bytes.span.indices { characters.append(bytes.span[index]) }
    return String(decoding: characters, as: UTF8.self)
  }

  /// Returns the written form of what `typed` is read as, or nil if it is not a code.
  private func reading(_ typed: String) -> String? {
    guard let code = RecoveryCode(answer: Array(typed.utf8).span) else { return nil }
    return text(code.written())
  }

  @Test("ten bytes are written as in RFC 4648, in groups of four letters")
  func written() {
    // Sixteen groups of five bits that count from 0 to 15.
    let bytes: [UInt8] = [0x00, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF]
    guard let code = RecoveryCode(bytes: SecretBytes(copying: bytes.span)) else {
      Issue.record("ten bytes were refused")
      return
    }
    #expect(text(code.written()) == "abcd-efgh-ijkl-mnop")
    #expect(text(code.written()).utf8.count == RecoveryCode.writtenLength)
    #expect(text(code.bytes) == String(decoding: bytes, as: UTF8.self))
  }

  @Test("a written code reads back equal")
  func roundTrip() throws {
    var seen: Set<String> = []
    for _ in 0..<64 {
      let written = text(try RecoveryCode.random().written())
      #expect(reading(written) == written)
      seen.insert(written)
    }
    #expect(seen.count == 64)
  }

  @Test(
    "forms that a user may type",
    arguments: [
      (1, "abcd-efgh-ijkl-mnop", "abcd-efgh-ijkl-mnop"),
      (2, "ABCD EFGH IJKL MNOP", "abcd-efgh-ijkl-mnop"),
      (3, "abcdefghijklmnop", "abcd-efgh-ijkl-mnop"),
      (4, " a b c d - e f g h ijkl mnop ", "abcd-efgh-ijkl-mnop"),
      (5, "0bcd-1fgh-8jkl-mnop", "obcd-lfgh-bjkl-mnop"),
      (6, "2345-6777-abcd-efgh", "2345-6777-abcd-efgh"),
    ])
  func typed(row: Int, answer: String, expected: String) {
    #expect(reading(answer) == expected, "row \(row)")
  }

  @Test(
    "invalid recovery codes are refused",
    arguments: [
      (1, ""), (2, "123456"), (3, "12345678"), (4, "abcd-efgh-ijkl-mno"),
      (5, "abcd-efgh-ijkl-mnopq"), (6, "abcd-efgh-ijkl-mno9"), (7, "abcd_efgh_ijkl_mnop"),
      (8, "abcd-efgh-ijkl-mno\u{0}"), (9, "äbcd-efgh-ijkl-mno"), (10, "abcdefghijklmno="),
      (11, String(repeating: "a-", count: 16) + String(repeating: " ", count: 17)),
    ])
  func refused(row: Int, answer: String) {
    #expect(reading(answer) == nil, "row \(row)")
  }

  @Test(
    "only the written form is accepted after a password",
    arguments: [
      (1, "abcd-efgh-ijkl-mnop", true), (2, "ABCD-EFGH-IJKL-MNOP", true),
      (3, "abcd efgh ijkl mnop", false), (4, "xxxabcdefghijklmnop", false),
      (5, "a-bcd-efgh-ijklmnop", false), (6, "abcd-efgh-ijkl-mno ", false),
    ])
  func writtenForm(row: Int, end: String, isOne: Bool) {
    let code = RecoveryCode(written: Array(end.utf8).span)
    #expect((code != nil) == isOne, "row \(row)")
  }
}
