import MFABytes
public import MFASignIn
public import MFAProtocol

/// A helper that answers from a script and records the requests.
public final class ScriptedHelper: HelperLink, @unchecked Sendable {
  /// A scripted answer to a request.
  public enum Answer: Sendable {
    case response(@Sendable () -> HelperResponse)
    case trouble(HelperError)

    /// Returns an answer that reports a failure.
    public static func failure(_ failure: HelperFailure) -> Answer {
      .response { .failed(failure) }
    }
  }

  private var script: [Answer]
  private let ended: () -> Void

  /// The requests so far, for example `hello` or `signIn - 123456`.
  public private(set) var requests: [String] = []

  /// Creates a session that follows `script`. `ended` is called when the session is released.
  public init(_ script: [Answer], ended: @escaping () -> Void = {}) {
    self.script = script
    self.ended = ended
  }

  deinit { ended() }

  /// Whether every line of the script was used.
  public var isUsedUp: Bool { script.isEmpty }

  /// Answers from the script; throws `ended` when the script is used up.
  public func ask(_ request: consuming HelperRequest) throws(HelperError) -> HelperResponse {
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
