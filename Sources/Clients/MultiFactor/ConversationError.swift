import MFAWire

/// Why a request got no response.
enum ConversationError: Error {
  /// The helper reported this failure. Some failures end the helper; see `endsConversation`.
  case failed(HelperFailure)
  /// The conversation is over.
  case broken(MultiFactorError)

  /// Whether the helper ends after this error.
  var endsConversation: Bool {
    switch self {
    case .failed(.protocolError), .failed(.internalError), .failed(.unsuitableProcess):
      true
    case .failed: false
    case .broken: true
    }
  }
}
