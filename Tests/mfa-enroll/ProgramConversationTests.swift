import Foundation
import MFABase
import MFATestSupport
import MultiFactor
import Testing

@testable import mfa_enroll

@Suite struct ProgramAnswerTests {
  @Test(
    "the value of the only member is the answer",
    arguments: [
      (#"{"code":"123456"}"#, "code", "123456"),
      (" {\t\"code\" : \"123456\" }\r", "code", "123456"),
      (#"{"password":""}"#, "password", ""),
      (#"{"password":"a\"b\\c\/d"}"#, "password", "a\"b\\c/d"),
      (#"{"password":"\b\f\n\r\t"}"#, "password", "\u{8}\u{C}\n\r\t"),
      (#"{"password":"J\u00f6rg \uD83D\uDE00"}"#, "password", "J\u{F6}rg \u{1F600}"),
      (#"{"password":"Jörg 😀"}"#, "password", "J\u{F6}rg \u{1F600}"),
      (#"{"cancel":true}"#, "cancel", ""),
    ])
  func understood(line: String, name: String, value: String) throws {
    guard let answer = ProgramAnswer(SecretBytes(line)) else {
      Issue.record("\(line) is not understood")
      return
    }
    let bytes = answer.value.span
    #expect(answer.name == name)
    #expect(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) == value)
  }

  @Test(
    "anything else is no answer",
    arguments: [
      "", "123456", "{}", "[]", "null", #""code""#, #"{"code":123456}"#, #"{"code":null}"#,
      #"{"code":"1","cancel":true}"#, #"{"code":"1"}}"#, #"{"code":"1"#, #"{"code":"1\"}"#,
      #"{"code" "1"}"#, #"{code:"1"}"#, "{\"code\":\"1\n\"}", #"{"code":"\x"}"#,
      #"{"code":"\u12"}"#, #"{"code":"\uD83D"}"#, #"{"code":"\uD83D\u0041"}"#,
      #"{"code":"\uDE00"}"#, #"{"cancel":false}"#, #"{"cancel":tru"#, "{\"code\":\"\\",
    ])
  func refused(line: String) {
    let isUnderstood = ProgramAnswer(SecretBytes(line)) != nil
    #expect(!isUnderstood)
  }
}

@Suite struct ProgramConversationTests {
  static func text(_ factors: [MultiFactorInfo]) -> String {
    var result = ProgramResult(.factors)
    result.factors = factors.map { FactorEntry($0) }
    return ProgramConversation.text(of: result)
  }

  @Test("an authenticator app has the documented names")
  func app() throws {
    #expect(
      Self.text([try Samples.factor([0xAB], "a \"/\" b")])
        == #"{"factors":[{"algorithm":"sha1","digits":6,"displayName":"a \"/\" b","#
        + #""enrollmentDate":"2025-10-09T08:53:20Z","factorID":"totp","#
        + #""id":"ab000000000000000000000000000000","periodSeconds":30}],"result":"factors"}"#)
    #expect(Self.text([]) == #"{"factors":[],"result":"factors"}"#)
  }

  @Test("a phone has its masked number, and when it can be used")
  func phone() throws {
    #expect(
      Self.text([try Samples.phone([0xAB], "work")])
        == #"{"factors":[{"displayName":"work","enrollmentDate":"2025-10-09T08:53:20Z","#
        + #""factorID":"phone","id":"ab000000000000000000000000000000","#
        + #""phoneNumber":"+1 *** *** **34","usableFrom":"2025-10-10T08:53:20Z"}],"#
        + #""result":"factors"}"#)
  }

  @Test("an error has the code of the library, and the time to wait")
  func failure() {
    let failure = Failure(.tooManyAttempts(seconds: 28))
    #expect(failure.code == "tooManyAttempts" && failure.seconds == 28)
    #expect(Failure(MultiFactorError.factorsLocked).seconds == nil)
    #expect(Failure(.noDevice).code == "factorNotFound")
  }

  @Test("the schema has the code of every error, and the names of all needs and results")
  func schema() throws {
    let path = Checkout.folder + "/packaging/json/mfa-enroll.schema.json"
    let schema = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
        as? [String: Any])
    let parts = try #require(schema["$defs"] as? [String: [String: Any]])
    let own = [
      "accountNotFound", "cancelled", "fileUnavailable", "importRefused", "pictureUnavailable",
    ]
    #expect(
      Set(try #require(parts["code"]?["enum"] as? [String]))
        == Set(MultiFactorError.Code.allCases.map(\.rawValue) + own))
    let needs = (parts["need"]?["properties"] as? [String: [String: Any]])?["need"]?["enum"]
    #expect(Set(try #require(needs as? [String])) == Set(Need.Kind.allCases.map(\.rawValue)))
    let results = try #require(parts["result"]?["oneOf"] as? [[String: Any]]).compactMap { result in
      (result["properties"] as? [String: [String: Any]])?["result"]?["const"] as? String
    }
    #expect(Set(results) == Set(ProgramResult.Name.allCases.map(\.rawValue) + ["status"]))
  }
}
