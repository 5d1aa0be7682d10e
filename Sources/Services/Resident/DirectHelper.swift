import MFAAuthentication
import MFAHelper
import MFAProtocol
import MFASignIn
import MFASystem

/// The helper's conversation in the service's own process, for an application that runs as an
/// ordinary user. It concerns only the user's own account, and cannot prove a password.
final class DirectHelper: HelperLink {
  private let client: LastResponse
  private var conversation: Conversation<ResidentHost, NoProof, LastResponse>

  init(_ caller: Account, _ resident: ResidentHost) {
    let client = LastResponse()
    self.client = client
    conversation = Conversation(
      caller: caller, terminal: nil, host: resident, proof: NoProof(), client: client)
  }

  func ask(_ request: consuming HelperRequest) throws(HelperError) -> HelperResponse {
    conversation.serve(request)
    guard let response = client.take() else { throw .ended }
    return response
  }
}

/// A client that keeps the last response.
final class LastResponse: Link {
  private var response: HelperResponse?

  func receive(seconds: Int64) -> Reception { .ended }

  func send(_ response: consuming HelperResponse) -> Bool {
    self.response = consume response
    return true
  }

  func take() -> HelperResponse? { response.take() }
}

/// A proof that always fails: the process at the other end proved nothing.
struct NoProof: AccountProof {
  func prove(_ account: Account, by prompter: some Prompter) -> Bool { false }
  func retire() -> Bool { true }
}
