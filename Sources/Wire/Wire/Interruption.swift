/// A response that can come instead of, or before, the requested response.
package enum Interruption: Sendable {
  /// Comes instead: the request failed.
  case failed(HelperFailure)
  /// Comes before: a text for the user.
  case notice(DisplayText)
}

extension HelperResponse {
  /// How the response interrupts the conversation, or nil if it does not. Each case has its own
  /// line because Swift 6.3 matches noncopyable values with only one pattern at a time.
  package var interruption: Interruption? {
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
    case .signedIn: return nil
    case .recognized: return nil
    case .status: return nil
    case .recoveryCodes: return nil
    case .forgotten: return nil
    case .codeSent: return nil
    }
  }
}
