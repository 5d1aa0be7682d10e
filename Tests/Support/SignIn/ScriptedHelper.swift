import MFABase
import MFASignIn
import MFAWire

/// A helper that answers from a script and records the requests.
package final class ScriptedHelper: HelperLink, @unchecked Sendable {
  /// A scripted answer to a request.
  package enum Answer: Sendable {
    case response(@Sendable () -> HelperResponse)
    case trouble(HelperError)

    /// Returns an answer that reports a failure.
    package static func failure(_ failure: HelperFailure) -> Answer {
      .response { .failed(failure) }
    }
  }

  private var script: [Answer]
  private let ended: () -> Void

  /// The requests so far, for example `hello` or `signIn - 123456`.
  package private(set) var requests: [String] = []

  /// Creates a session that follows `script`. `ended` is called when the session is released.
  package init(_ script: [Answer], ended: @escaping () -> Void = {}) {
    self.script = script
    self.ended = ended
  }

  deinit { ended() }

  /// Whether every line of the script was used.
  package var isUsedUp: Bool { script.isEmpty }

  /// Answers from the script; throws `ended` when the script is used up.
  package func ask(_ request: consuming HelperRequest) throws(HelperError) -> HelperResponse {
    requests.append(Self.text(of: request))
    guard !script.isEmpty else { throw .ended }
    switch script.removeFirst() {
    case .response(let response): return response()
    case .trouble(let trouble): throw trouble
    }
  }

  private static func text(of request: borrowing HelperRequest) -> String {
    switch request {
    case .hello: return "hello"
    case .list: return "list"
    case .status: return "status"
    case .signIn(let request):
      var code: [UInt8] = []
      for index in request.code.span.indices { code.append(request.code.span[index]) }
      let factor = request.factor.map { "\($0.bytes[0])" } ?? "-"
      return "signIn \(factor) \(String(decoding: code, as: UTF8.self))"
    case _: return "something else"
    }
  }
}
