import MFAAttempt
import MFAWire
import MFASignIn
import MFABase

/// The helper's conversation in the service's own process, for an application that runs as an
/// ordinary user. It concerns only the user's own account, and cannot prove a password.
package final class DirectHelper<Machine: AuthenticationHost>: HelperLink {
  private let client: LastResponse
  private var conversation: Conversation<Machine, NoProof, LastResponse>

  /// Prepares a conversation, which `prepare` returns.
  package init(
    _ prepare: (LastResponse, NoProof) -> Conversation<Machine, NoProof, LastResponse>
  ) {
    let client = LastResponse()
    self.client = client
    conversation = prepare(client, NoProof())
  }

  /// Serves one request.
  package func ask(_ request: consuming HelperRequest) throws(HelperError) -> HelperResponse {
    conversation.serve(request)
    guard let response = client.take() else { throw .ended }
    return response
  }
}

/// A client that keeps the last response.
package final class LastResponse: Link {
  private var response: HelperResponse?

  /// Creates a client without a response.
  package init() {}

  /// Ends the conversation: the response to one request is enough.
  package func receive(seconds: Int64) -> Reception { .ended }

  /// Keeps the response.
  package func send(_ response: consuming HelperResponse) -> Bool {
    self.response = consume response
    return true
  }

  func take() -> HelperResponse? { response.take() }
}

/// A proof that always fails: the process at the other end proved nothing.
package struct NoProof: AccountProof {
  /// Creates the proof.
  package init() {}

  /// Returns `wrong`.
  package func prove(_ account: Account, by prompter: some Prompter) -> ProofResult { .wrong }

  /// Does nothing.
  package func retire() -> Bool { true }
}
