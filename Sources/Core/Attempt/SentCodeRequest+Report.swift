import MFAModel
import MFAMessages
import MFAStore
import MFABase

extension SentCodeRequest.Result {
  /// What the user is told.
  package var message: SignInMessage {
    switch self {
    case .sent(let number, _), .testNumber(let number): .codeSent(number: number.ascii)
    case .failed: .codeNotSent
    case .refused(.userLimit(let seconds)): .codeNotSentYet(seconds: seconds)
    case .refused(.notUsableYet(let seconds)): .phoneNotUsableYet(seconds: seconds)
    case .refused(.hostLimit(.numberHourly(let seconds))): .codeNotSentYet(seconds: seconds)
    case .refused(.hostLimit), .refused(.limits), .refused(.noGateway), .refused(.region),
      .refused(.noSuchFactor), .refused(.testNumber):
      .codeNotSent
    case .refused(.standing(.throttled(let seconds))): .throttled(seconds: seconds)
    case .refused(.standing): .locked
    }
  }

  /// Appends the result to a line of the system log, and returns the line's priority.
  package func describe(in line: inout LogLine) -> LogPriority {
    switch self {
    case .sent(_, let id):
      line.add("result", "code-sent")
      line.add("message", escaping: id.text)
      return .information
    case .testNumber:
      line.add("result", "test-number")
      return .warning
    case .failed(let reply, let id):
      line.add("result", "code-not-sent")
      line.add("message", escaping: id.text)
      line.add("reason", reply.name)
      if let number = reply.number { line.add("status", Int64(number)) }
      return .error
    case .refused(.limits(let error)):
      line.add("result", "code-not-sent")
      line.add(error)
      return .error
    case .refused(let refusal):
      line.add("result", "code-not-sent")
      line.add("reason", refusal.name)
      return .warning
    }
  }
}

extension SentCodeRequest.Refusal {
  var name: StaticString {
    switch self {
    case .noSuchFactor: "no-such-factor"
    case .notUsableYet: "waiting-time"
    case .standing(.throttled): "throttled"
    case .standing: "locked"
    case .userLimit: "user-limit"
    case .hostLimit(let refusal): refusal.name
    case .limits: "limits"
    case .noGateway: "no-gateway"
    case .region: "region"
    case .testNumber: "test-number"
    }
  }
}
