import MFAWire
import MFABase
import MFAModel

// The address that the user signs in from, as far as it is certain.
extension SignIn {
  /// What identifies the source of this sign-in for the waits after failed attempts: its address, and
  /// without a remote host its terminal. Other sources count as one for each service.
  ///
  /// An IPv6 client can use each address of its network of 64 bits, and counts as one source.
  var client: SignInOrigin {
    if let address = numericAddress() {
      let network = address.isIPv4 ? address : IPAddress(bits: (address.bits >> 64) << 64)
      return SignInOrigin(.network, network.text)
    }
    let terminal = request.isAtTerminal ? request.terminal : nil
    return SignInOrigin(.session, request.service + [0] + (terminal ?? []))
  }

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
