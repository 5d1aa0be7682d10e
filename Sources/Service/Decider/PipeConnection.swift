import MFABase
import MFAWire

/// The client at the other end of standard input and output.
package struct PipeConnection: FrameLink {
  private let channel = Channel()

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

  func receiveBody(seconds: Int64) -> ClientFrame {
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
