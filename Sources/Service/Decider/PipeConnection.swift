import MFABase
import MFAWire

/// The client at the other end of standard input and output.
package final class PipeConnection: FrameLink {
  private let channel = Channel()
  /// The first frame, if it was read to see what it is.
  private var first: SecretBytes?

  /// Creates the link.
  package init() {}

  /// How long the client may take to send the first frame, in seconds.
  private static var patience: Int64 { ProtocolDeadline.later }

  /// Waits for the first frame. Returns the packet of the module, if it is one, and keeps another frame as
  /// the next one that is received.
  func receiveCall() -> SecretBytes? {
    switch receiveBody(seconds: Self.patience, longest: Coder.longest) {
    case .body(let body):
      let isCall = body.withSpan { SignInCall.begins($0) }
      if isCall { return body }
      first = consume body
      return nil
    case .ended: return nil
    case .malformed: return nil
    }
  }

  /// Sends the reply to a packet of the module.
  func reply(_ packet: borrowing SecretBytes) {
    var writer = ByteWriter()
    writer.write(UInt32(truncatingIfNeeded: packet.count))
    let frame = SecretBytes(joining: writer.bytes.span, packet.span)
    _ = send(frame.span)
  }

  /// Reads a frame from standard input.
  package func receiveBody(seconds: Int64) -> ClientFrame {
    if let body = first.take() {
      return body.count <= Frame.longestBody ? .body(body) : .malformed
    }
    return receiveBody(seconds: seconds, longest: Frame.longestBody)
  }

  private func receiveBody(seconds: Int64, longest: Int) -> ClientFrame {
    let seconds = Int32(clamping: seconds)
    var header = SecretBytes(count: Frame.headerLength)
    guard fill(&header, seconds) else { return .ended }
    let length = Frame.length(header: header.span)
    guard length > 0, length <= longest else { return .malformed }
    var body = SecretBytes(count: length)
    guard fill(&body, seconds) else { return .ended }
    return .body(body)
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

  /// Writes frames to standard output, and returns whether that succeeded.
  package func send(_ frames: Span<UInt8>) -> Bool {
    do throws(SystemError) {
      try channel.send(frames)
      return true
    } catch {
      return false
    }
  }
}
