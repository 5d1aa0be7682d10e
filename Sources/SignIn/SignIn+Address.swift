import Policy
import Secrets
import System

// From where somebody signs in, as far as it is certain.
extension SignIn {
  /// The address that the person signs in from; nil where that is not known.
  ///
  /// It is PAM_RHOST where that is a numeric address. A name is never trusted: whoever has the
  /// addresses chooses it. sshd gives one under `UseDNS yes`, and has the connection itself, whose
  /// other end counts then. No other service is asked for its connections: one of theirs may lead to a
  /// server that they use.
  func numericAddress() -> IPAddress? {
    guard let remoteHost = request.remoteHost, !remoteHost.isEmpty else { return nil }
    if let address = IPAddress(remoteHost.span) { return address }
    let service: StaticString = "sshd"
    guard request.service == service.bytes, let bits = host.peer() else { return nil }
    return IPAddress(bits: bits)
  }
}
