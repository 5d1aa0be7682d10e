import MFAMessages
import MFAModel
import Testing

@testable import mfa_enroll

@Suite struct FactorTableTests {
  @Test("the table has a line for each factor, with the name at the end")
  func text() throws {
    let parameters = try #require(
      TOTPParameters(algorithm: .sha256, codeLength: .eight, period: 60))
    let factors = [
      try Samples.factor([0xAB, 0xCD], "phone"),
      try Samples.factor([1], "電話 2", parameters: parameters),
    ]
    #expect(
      FactorTable.text(
        factors, in: .english, date: { "at \(Int($0.timeIntervalSince1970))" }) == """
          ID        ADDED          CODES                   NAME
          abcd0000  at 1760000000  sha1, 6 digits, 30 s    phone
          01000000  at 1760000000  sha256, 8 digits, 60 s  電話 2

          """)
  }

  @Test("columns of double-width characters are aligned")
  func wideCharacters() throws {
    let factors = [try Samples.factor([0xAB, 0xCD], "phone")]
    #expect(
      FactorTable.text(factors, in: .japanese, date: { _ in "2026-01-31 23:59" }) == """
        識別子    追加日時          コード             名前
        abcd0000  2026-01-31 23:59  sha1、6 桁、30 秒  phone

        """)
  }

  @Test("the JSON has the documented names")
  func json() throws {
    let json = try FactorTable.json([try Samples.factor([0xAB], "a \"/\" b")])
    #expect(
      json == """
        [
          {
            "algorithm" : "sha1",
            "digits" : 6,
            "displayName" : "a \\"/\\" b",
            "enrollmentDate" : "2025-10-09T08:53:20Z",
            "factorID" : "totp",
            "id" : "ab000000000000000000000000000000",
            "periodSeconds" : 30
          }
        ]

        """)
    #expect(try FactorTable.json([]) == "[\n\n]\n")
  }

  @Test("the JSON of a phone has its masked number, and when it can be used")
  func phone() throws {
    #expect(
      try FactorTable.json([try Samples.phone([0xAB], "work")]) == """
        [
          {
            "displayName" : "work",
            "enrollmentDate" : "2025-10-09T08:53:20Z",
            "factorID" : "phone",
            "id" : "ab000000000000000000000000000000",
            "phoneNumber" : "+1 *** *** **34",
            "usableFrom" : "2025-10-10T08:53:20Z"
          }
        ]

        """)
  }
}
