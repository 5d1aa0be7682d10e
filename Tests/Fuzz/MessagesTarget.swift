import MFABase
import MFAModel
import MFAWire

/// Reads messages of the helper protocol. The input is the body of a frame in either direction; its
/// first four bytes are also read as the header of a frame.
///
/// A message that parses is encoded to the same bytes. The length of a frame is bounded before its
/// body is read. Text to be shown has no control characters other than line feeds.
enum MessagesTarget {
  static func check(_ input: [UInt8]) throws {
    try checkHeader(Array(input.prefix(Frame.headerLength)))
    let cleaned = DisplayText(cleaning: input)
    try require(cleaned.utf8.count <= DisplayText.longest, "a text is longer than the limit")
    try requireShowable(cleaned.utf8, allowing: ["\n"], "a text to be shown")
    try require(
      DisplayText(cleaning: cleaned.utf8) == cleaned, "cleaning twice gives different texts")
    guard input.count <= Frame.longestBody else { return }
    if let frame = frame(ofRequest: input) { try checkFrame(frame, of: input) }
    if let frame = frame(ofResponse: input) { try checkFrame(frame, of: input) }
  }

  private static func checkHeader(_ header: [UInt8]) throws {
    let stated = header.reduce(0) { $0 << 8 | Int($1) }
    let isAllowed = header.count == Frame.headerLength && (1...Frame.longestBody).contains(stated)
    try require(
      bodyLength(header) == (isAllowed ? stated : nil),
      "a frame of \(stated) bytes is read differently")
  }

  private static func bodyLength(_ header: [UInt8]) -> Int? {
    do throws(PacketError) {
      return try Frame.bodyLength(header: header.span)
    } catch {
      return nil
    }
  }

  /// Returns the encoded frame of a parsed request, or nil if the body is not a request.
  private static func frame(ofRequest body: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      let request = try HelperRequest(body: body.span)
      return bytes(try request.encoded())
    } catch {
      return nil
    }
  }

  /// Returns the encoded frame of a parsed response, or nil if the body is not a response.
  private static func frame(ofResponse body: [UInt8]) -> [UInt8]? {
    do throws(PacketError) {
      let response = try HelperResponse(body: body.span)
      return bytes(try response.encoded())
    } catch {
      return nil
    }
  }

  private static func checkFrame(_ frame: [UInt8], of body: [UInt8]) throws {
    let header = Array(frame.prefix(Frame.headerLength))
    try require(bodyLength(header) == body.count, "a frame has a different length from its body")
    try require(
      Array(frame.dropFirst(Frame.headerLength)) == body, "a message is encoded differently")
  }
}
