public import Factors
import Secrets

/// What a program says to the helper to have a user's notices mailed, and does not wait for.
public enum DeliveryMessages {
  /// `hello` and `deliver`, with their frames.
  ///
  /// - Returns: the bytes; nil never happens.
  @export(interface)
  public static func bytes(for user: UserName) -> [UInt8]? {
    do throws(MessageRefusal) {
      let hello = try text(of: HelperRequest.hello)
      return hello + (try text(of: HelperRequest.deliver(user: user)))
    } catch {
      return nil
    }
  }

  private static func text(
    of request: consuming HelperRequest
  ) throws(MessageRefusal) -> [UInt8] {
    let message = try request.encodedForSignIn()
    var bytes: [UInt8] = []
    for index in message.span.indices { bytes.append(message.span[index]) }
    return bytes
  }
}
