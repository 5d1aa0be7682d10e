import MFAProtocol

/// Why a request got no response.
enum ConversationError: Error {
  /// The helper reported this failure. It continues or ends by itself.
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
