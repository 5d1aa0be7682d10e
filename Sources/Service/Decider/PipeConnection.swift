import MFABase
import MFAWire

/// The client at the other end of standard input and output.
package final class PipeConnection: FrameLink {
  private let channel = Channel()
  /// The first frame, if it was read to see what it is.
  private var first: SecretBytes?

  /// Creates the link.
  package init() {}

  /// Reads a frame from standard input.
  package func receive(seconds: Int64) -> Reception {
    switch receiveBody(seconds: seconds) {
    case .body(let body): return Reception(body: body)
    case .malformed: return .malformed
    case .ended: return .ended
    }
  }

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
    _ = send(frame: SecretBytes(joining: writer.bytes.span, packet.span))
  }

  func receiveBody(seconds: Int64) -> ClientFrame {
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

  /// Writes a frame to standard output, and returns whether that succeeded.
  package func send(_ response: consuming HelperResponse) -> Bool {
    do throws(MessageError) {
      return send(frame: try response.encoded())
    } catch {
      return false
    }
  }

  func send(frame: consuming SecretBytes) -> Bool {
    do throws(SystemError) {
      try channel.send(frame.span)
      return true
    } catch {
      return false
    }
  }
}

/// A connection to a client that can also pass frames on without reading them.
protocol FrameLink: Link {
  /// Waits for the body of the next frame.
  func receiveBody(seconds: Int64) -> ClientFrame

  /// Sends a complete frame, and returns whether it was sent.
  func send(frame: consuming SecretBytes) -> Bool
}

/// What was received from the client.
enum ClientFrame: ~Copyable {
  /// The body of a frame.
  case body(SecretBytes)
  /// A frame that is empty or too long.
  case malformed
  /// Nothing: the client has ended, or was silent for too long.
  case ended
}

extension Reception {
  /// Reads the body of a frame.
  package init(body: borrowing SecretBytes) {
    do throws(MessageError) {
      self = .request(try HelperRequest(body: body.span))
    } catch {
      self = error == .unsupportedDisplayName ? .unsupportedDisplayName : .malformed
    }
  }
}
