import MFABase
import MFAModel

/// The framing of messages in a pipe: four bytes of length, most significant first, then a body of
/// that length. The first byte of the body is the kind of the message.
package enum Frame {
  /// The length of the header that precedes a body, in bytes.
  package static let headerLength = 4

  /// The longest body in bytes.
  package static let longestBody = 4096

  /// Returns the length of the body that follows `header`, 1 to `longestBody`. A longer or empty
  /// body is refused before any of it is read.
  package static func bodyLength(header: Span<UInt8>) throws(PacketError) -> Int {
    let length = length(header: header)
    guard header.count == headerLength, length > 0 else { throw .malformed }
    guard length <= longestBody else { throw .malformed }
    return length
  }

  /// Returns the length in a header, whatever it is.
  package static func length(header: Span<UInt8>) -> Int {
    var length: UInt32 = 0
    for index in header.indices { length = length << 8 | UInt32(header[index]) }
    return Int(length)
  }
}

/// The messages that ask the helper to mail a user's pending notices. The sender does not wait for
/// an answer.
package enum DeliveryMessages {
  /// Returns `hello` and `deliver`, with their frames.
  ///
  /// - Returns: the bytes; never nil, because every `UserName` fits.
  @export(interface)
  package static func bytes(for user: UserName) -> [UInt8]? {
    do throws(PacketError) {
      let hello = try text(of: HelperRequest.hello(.english))
      return hello + (try text(of: HelperRequest.deliver(user: user)))
    } catch {
      return nil
    }
  }

  private static func text(
    of request: consuming HelperRequest
  ) throws(PacketError) -> [UInt8] {
    let message = try request.encoded()
    var bytes: [UInt8] = []
    for index in message.span.indices { bytes.append(message.span[index]) }
    return bytes
  }
}
