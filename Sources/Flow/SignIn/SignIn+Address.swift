import MFAApplication
import MFABytes
import MFAPolicy
import MFASystem

// The address that the user signs in from, as far as it is certain.
extension SignIn {
  /// Returns the address that the user signs in from, or nil if it is unknown.
  ///
  /// A numeric PAM_RHOST is the address. A host name is never trusted, because it is chosen by the
  /// owner of the address. sshd passes a name under `UseDNS yes`, and the remote address of its
  /// connection is used instead. The connections of other services are not used: a service may be
  /// connected to a server that it depends on.
  func numericAddress() -> IPAddress? {
    guard let remoteHost = request.remoteHost, !remoteHost.isEmpty else { return nil }
    if let address = IPAddress(remoteHost.span) { return address }
    let service: StaticString = "sshd"
    guard request.service == service.bytes, let bits = host.peer() else { return nil }
    return IPAddress(bits: bits)
  }
}
