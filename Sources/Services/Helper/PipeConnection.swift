import MFABytes
import MFASecrets
import MFAProtocol
import MFASystem

/// The client at the other end of standard input and output.
public struct PipeConnection: Link {
  private let channel = Channel()

  /// Creates the link.
  public init() {}

  /// Reads a frame from standard input.
  public func receive(seconds: Int64) -> Reception {
    let seconds = Int32(clamping: seconds)
    var header = SecretBytes(count: Frame.headerLength)
    guard fill(&header, seconds) else { return .ended }
    let length: Int
    do throws(MessageError) {
      length = try Frame.bodyLength(header: header.span)
    } catch {
      return .malformed
    }
    var body = SecretBytes(count: length)
    guard fill(&body, seconds) else { return .ended }
    do throws(MessageError) {
      return .request(try HelperRequest(body: body.span))
    } catch {
      return error == .unsupportedDisplayName ? .unsupportedDisplayName : .malformed
    }
  }

  private func fill(_ bytes: inout SecretBytes, _ seconds: Int32) -> Bool {
    do throws(SystemError) {
      return try bytes.withMutableSpan { span throws(SystemError) in
        try channel.receive(into: &span, seconds: seconds)
      }
    } catch {
      return false
    }
  }

  /// Writes a frame to standard output, and returns whether that succeeded.
  public func send(_ response: consuming HelperResponse) -> Bool {
    do throws(MessageError) {
      let message = try response.encoded()
      do throws(SystemError) {
        try channel.send(message.span)
        return true
      } catch {
        return false
      }
    } catch {
      return false
    }
  }
}
