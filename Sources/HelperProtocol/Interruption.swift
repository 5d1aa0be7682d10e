/// A response that may come instead of, or before, the one that was asked for.
public enum Interruption: Sendable {
  /// Instead: what was asked for was not done.
  case failed(HelperFailure)
  /// Before: something to tell the person.
  case notice(ShownText)
}

extension HelperResponse {
  /// What the response interrupts the conversation with. A case a line, because Swift 6.3 matches
  /// noncopyable values with one pattern at a time only.
  public var interruption: Interruption? {
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
    case .forgotten: return nil
    }
  }
}
