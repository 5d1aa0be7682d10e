public import HelperProtocol
import Secrets
public import SignIn

/// A helper that answers from a script, and writes down what it was asked.
public final class ScriptedHelper: HelperLink, @unchecked Sendable {
  /// What it says to a request.
  public enum Answer: Sendable {
    case response(@Sendable () -> HelperResponse)
    case trouble(HelperTrouble)

    /// A refusal.
    public static func failure(_ failure: HelperFailure) -> Answer {
      .response { .failed(failure) }
    }
  }

  private var script: [Answer]
  private let ended: () -> Void

  /// What it was asked, such as `hello` or `signIn - 123456`.
  public private(set) var requests: [String] = []

  /// A conversation that follows `script`. `ended` is called when it is let go of.
  public init(_ script: [Answer], ended: @escaping () -> Void = {}) {
    self.script = script
    self.ended = ended
  }

  deinit { ended() }

  /// Whether every line of the script was used.
  public var isUsedUp: Bool { script.isEmpty }

  /// Answers from the script; it has ended when that is over.
  public func ask(_ request: consuming HelperRequest) throws(HelperTrouble) -> HelperResponse {
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
