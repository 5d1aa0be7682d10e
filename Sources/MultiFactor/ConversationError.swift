import HelperProtocol

/// Why there is no answer to a request.
enum ConversationError: Error {
  /// The helper said so, and goes on, or ends by itself.
  case failed(HelperFailure)
  /// The conversation is over.
  case broken(MultiFactorError)

  /// Whether the helper does not go on.
  var endsConversation: Bool {
    switch self {
    case .failed(.protocolError), .failed(.internalError), .failed(.unsuitableProcess):
      true
    case .failed: false
    case .broken: true
    }
  }
}
