import HelperProtocol

/// A response that may come instead of, or before, the one that was asked for.
enum Interruption {
  case failed(HelperFailure)
  case notice(ShownText)
}

extension HelperResponse {
  /// What the response interrupts the conversation with. A case a line, because Swift 6.3 matches
  /// noncopyable values with one pattern at a time only.
  var interruption: Interruption? {
    switch self {
    case .failed(let failure): return .failed(failure)
    case .notice(let text): return .notice(text)
    case .welcome: return nil
    case .prompt: return nil
    case .sessionStarted: return nil
    case .secret: return nil
    case .enrolled: return nil
    case .factors: return nil
    case .done: return nil
    case .unenrolled: return nil
    case .tested: return nil
    case .status: return nil
    case .recoveryCodes: return nil
    }
  }
}
