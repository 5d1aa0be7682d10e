import MFABase
import MFAModel

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
