import MFAMessages
import Foundation
import Testing

@testable import MFADecider

@Suite struct EncodedHeaderTests {
  @Test("a header in ASCII is written as it is")
  func plain() {
    #expect(EncodedHeader.text(Array("alice on web1".utf8)) == Array("alice on web1".utf8))
    #expect(EncodedHeader.text([]).isEmpty)
  }

  /// RFC 2047, sections 2 and 5: words of at most 75 characters, which begin and end with whole
  /// characters.
  @Test("another header is divided into encoded words", arguments: Language.allCases)
  func encoded(language: Language) throws {
    let subject = MailMessage.subject(
      user: Array("алиса".utf8), host: Array("server-01.example.com".utf8)
    ).text(in: language)
    let lines = String(decoding: EncodedHeader.text(subject.utf8), as: UTF8.self)
      .components(separatedBy: "\n ")
    var decoded = ""
    for line in lines {
      #expect(line.utf8.count <= 75 && line.hasPrefix("=?UTF-8?Q?") && line.hasSuffix("?="))
      let bytes = line.dropFirst(10).dropLast(2).split(separator: "=").map { UInt8($0, radix: 16) }
      let text = try #require(String(bytes: bytes.compactMap(\.self), encoding: .utf8))
      decoded += text
    }
    #expect(decoded == subject.string && lines.count > 1)
  }
}
