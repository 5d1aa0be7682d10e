import MFABase
@testable import MFAAttempt

/// Reads the input as a message to a phone, and as a reply of the gateway service.
///
/// A message that parses has the same bytes, its head has three lines, and the text has no other control
/// character than line feeds. Made again from its parts, it has the same bytes. Only one packet is the
/// reply that a message was accepted.
enum GatewayTarget {
  static func check(_ input: [UInt8]) throws {
    let reply = GatewayReply(packet: input.span)
    if reply == .accepted {
      try require(input == GatewayReply.accepted.packet, "another packet is the reply of success")
    } else if reply != .noReply {
      try require(reply.packet == input, "a reply is encoded differently")
    }
    guard let message = GatewayMessage(input.span) else { return }
    try require(message.span.copied() == input, "a message is stored differently")
    let lines = input.split(
      separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false)
    try require(lines.count == 5 && lines[3].isEmpty, "the head has another number of lines")
    for (line, name) in zip(lines, ["To: ", "Id: ", "Expires: "]) {
      try require(line.starts(with: Array(name.utf8)), "a line of the head is not \(name)")
      try requirePrintableASCII(Array(line), "the head")
    }
    let number = Array(lines[0].dropFirst(4))
    try require(GatewayMessage.isNumber(number.span), "the number has another form")
    try require(message.id.text == Array(lines[1].dropFirst(4)), "the identifier differs")
    try require(lines[4].last == UInt8(ascii: "\n"), "the text does not end with a line feed")
    let text = Array(lines[4].dropLast())
    let string = try requireValue(String(validating: text, as: UTF8.self), "a text that is UTF-8")
    try require(
      string.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control },
      "the text has a control character")
    let again = GatewayMessage(
      to: number.span, id: message.id, expires: 1_801_386_359, text: text.span)
    guard let again else { throw Violation(description: "a message cannot be made again") }
    let found = again.span.copied()
    // The time differs, and is as long.
    let start = lines[0].count + lines[1].count + 2
    let end = start + lines[2].count
    try require(
      found.count == input.count && found[..<start] == input[..<start]
        && found[end...] == input[end...],
      "a message is made differently")
  }

  /// Returns messages, and each reply.
  static func samples() -> [[UInt8]] {
    let texts = ["123456 is your code for host.", "a\nb", "123456 \u{30B3}\u{30FC}\u{30C9}"]
    let messages = texts.compactMap { text -> [UInt8]? in
      guard
        let message = GatewayMessage(
          to: Array("+15105551234".utf8).span, id: SendID(number: 0x0123_4567_89AB_CDEF),
          expires: 1_801_386_359, text: Array(text.utf8).span)
      else { return nil }
      return message.span.copied()
    }
    let replies: [GatewayReply] =
      [.accepted, .notSet, .notStarted(13), .failed(75), .killed, .tookTooLong, .refused]
      + GatewayRefusal.allCases.map { .unusable($0) }
    return messages + replies.map(\.packet)
  }
}
