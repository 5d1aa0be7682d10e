import MFAAttempt
import Testing

/// The MUSTs of GatewayMessage.swift.
@Suite struct GatewayMessageTests {
  private static let id = SendID(number: 0x0123_4567_89AB_CDEF)

  /// Returns the message as text, or nil if it is refused.
  private func message(
    _ number: String = "+15105551234", expires: Int64 = 1_801_386_359, text: [UInt8]
  ) -> String? {
    guard
      let message = GatewayMessage(
        to: Array(number.utf8).span, id: Self.id, expires: expires, text: text.span)
    else { return nil }
    var bytes: [UInt8] = []
    for index in message.span.indices { bytes.append(message.span[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func messageHasAHeadAndTheText() {
    #expect(
      message(text: Array("123456 \u{3042}".utf8))
        == "To: +15105551234\nId: 0123456789abcdef\nExpires: 2027-01-31T09:05:59Z\n\n"
        + "123456 \u{3042}\n")
  }

  @Test(arguments: [
    "", "+", "15105551234", "+1510555", "+1234567890123456", "+05105551234", "+1510555123x",
    "+1 5105551234", "+15105551234\nBcc: x", "\u{FF0B}15105551234",
  ])
  func numberOfAnotherFormIsRefused(number: String) {
    #expect(message(number, text: [0x61]) == nil)
  }

  @Test(arguments: ["+15105551", "+123456789012345"])
  func shortestAndLongestNumberAreAccepted(number: String) {
    #expect(message(number, text: [0x61])?.hasPrefix("To: \(number)\n") == true)
  }

  @Test(arguments: [
    [], Array("a\u{1B}b".utf8), Array("a\rb".utf8), Array("a\tb".utf8), [0], [0x7F],
    Array("\u{85}".utf8), [0xC3], [0xFF], [UInt8](repeating: 0x61, count: 1001),
  ])
  func textOfAnotherFormIsRefused(text: [UInt8]) {
    #expect(message(text: text) == nil)
  }

  @Test func lineFeedsAndLongTextsAreAccepted() {
    #expect(message(text: Array("a\nb".utf8))?.hasSuffix("\n\na\nb\n") == true)
    #expect(message(text: [UInt8](repeating: 0x61, count: 1000)) != nil)
  }

  @Test(arguments: [-1, Int64.max])
  func timeWithoutATextIsRefused(time: Int64) {
    #expect(message(expires: time, text: [0x61]) == nil)
  }

  @Test(arguments: ["a", "a\nb", "\n", "a\n\n", "123456 \u{3042}"])
  func messageIsReadBack(text: String) throws {
    let whole = try #require(message(text: Array(text.utf8)))
    let bytes = Array(whole.utf8)
    guard let read = GatewayMessage(bytes.span) else {
      Issue.record("the message is refused: \(whole)")
      return
    }
    #expect(read.id == Self.id)
    #expect(read.span.count == bytes.count)
  }

  /// Whatever is changed, the message is refused, or is another message of the same form.
  @Test func noPrefixOfAMessageIsRead() throws {
    let bytes = Array(try #require(message(text: Array("123456".utf8))).utf8)
    for count in 0..<(bytes.count - 7) {
      let isRead = GatewayMessage(Array(bytes.prefix(count)).span) != nil
      #expect(!isRead, "\(count)")
    }
  }

  @Test(arguments: ["0123456789abcdef", "0000000000000000", "ffffffffffffffff"])
  func identifierIsReadBack(text: String) {
    #expect(SendID(Array(text.utf8))?.text == Array(text.utf8))
  }

  @Test(arguments: [
    "", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "g123456789abcdef",
  ])
  func identifierOfAnotherFormIsRefused(text: String) {
    #expect(SendID(Array(text.utf8)) == nil)
  }
}
