import Testing

@testable import MFAModel

@Suite("The source of a request")
struct SourceTests {
  private static func source(_ text: String, at host: String) -> String {
    String(decoding: Source(Array(text.utf8)).at(host: Array(host.utf8)).text, as: UTF8.self)
  }

  @Test("the host of a realm is named before the terminal or address")
  func host() {
    #expect(Self.source("pts/3", at: "web1") == "web1:pts/3")
    #expect(Self.source("2001:db8::1", at: "web1") == "web1:2001:db8::1")
    #expect(Self.source("", at: "web1") == "web1")
  }

  @Test("of a text that is too long, the name of the host is cut")
  func longHost() {
    let host = String(repeating: "h", count: 255)
    let address = "2001:db8:1111:2222:3333:4444:5555:6666"
    let source = Self.source(address, at: host)
    #expect(source.count == Source.maximumLength)
    #expect(source.hasSuffix("h:" + address))
    let longest = String(repeating: "a", count: Source.maximumLength)
    #expect(Self.source(longest, at: host) == longest)
    #expect(Self.source(String(longest.dropLast()), at: host) == longest.dropLast())
  }
}
