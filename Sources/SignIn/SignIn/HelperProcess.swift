import MFABase
import MFAWire

/// A helper process that was started for this process only.
package final class HelperProcess: HelperLink {
  private let companion: SupervisedProgram

  /// The path of the installed helper.
  package static var standardPath: [UInt8] { InstalledPath.helper.bytes }

  /// The longest time to wait for a response, in seconds. The helper itself waits for a lock for
  /// less time.
  private static var patience: Int64 { 20 }

  /// Starts the program at `path`.
  ///
  /// Embedded Swift leaks an object whose designated initialiser throws. This convenience
  /// initialiser throws before the object exists.
  package convenience init(path: [UInt8]) throws(HelperError) {
    let companion: SupervisedProgram
    do throws(SystemError) {
      companion = try SupervisedProgram(path: path, name: "mfa-helper")
    } catch {
      throw .system(error)
    }
    self.init(companion)
  }

  private init(_ companion: SupervisedProgram) { self.companion = companion }

  /// Sends one message and returns the first response that is not a notice.
  @export(interface)
  package func ask(_ request: consuming HelperRequest) throws(HelperError) -> HelperResponse {
    let message = try Self.encode(request)
    try send(message)
    while true {
      let response = try receive()
      guard case .notice = response.interruption else { return response }
    }
  }

  private func receive() throws(HelperError) -> HelperResponse {
    let header = try receive(count: Frame.headerLength)
    let body = try receive(count: try Self.length(header))
    return try Self.decode(body)
  }

  private static func encode(
    _ request: borrowing HelperRequest
  ) throws(HelperError) -> SecretBytes {
    do throws(MessageError) { return try request.encodedForSignIn() } catch { throw .malformed }
  }

  private static func length(_ header: borrowing SecretBytes) throws(HelperError) -> Int {
    do throws(MessageError) {
      return try Frame.bodyLength(header: header.span)
    } catch {
      throw .malformed
    }
  }

  private static func decode(
    _ body: borrowing SecretBytes
  ) throws(HelperError) -> HelperResponse {
    do throws(MessageError) {
      return try HelperResponse(body: body.span)
    } catch {
      throw .malformed
    }
  }

  /// Sends a message. A broken pipe is ignored: a helper that has ended may have sent the reason
  /// before, which is still to be read.
  private func send(_ message: borrowing SecretBytes) throws(HelperError) {
    do throws(SystemError) {
      try companion.send(message.span)
    } catch {
      guard error.isBrokenPipe else { throw .system(error) }
    }
  }

  private func receive(count: Int) throws(HelperError) -> SecretBytes {
    var bytes = SecretBytes(count: count)
    let reception: SupervisedProgram.Reception
    do throws(SystemError) {
      reception = try bytes.withMutableSpan { span throws(SystemError) in
        try companion.receive(into: &span, seconds: Self.patience)
      }
    } catch {
      throw .system(error)
    }
    switch reception {
    case .complete: return bytes
    case .ended: throw whyItEnded()
    case .silent: throw .silent
    }
  }

  private func whyItEnded() -> HelperError {
    companion.startFailure().map { .system($0) } ?? .ended
  }
}
