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
    if let address = knownAddress {
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
  func numericAddress() throws(Pause) -> IPAddress? {
    if let knownAddress { return knownAddress }
    guard isNamed, identity.actsAsRoot, application.facts == nil else { return nil }
    throw .facts
  }

  /// The address, as far as it is known without asking for facts.
  private var knownAddress: IPAddress? {
    guard let remoteHost = request.remoteHost, !remoteHost.isEmpty else { return nil }
    if let address = IPAddress(remoteHost.span) { return address }
    guard isNamed, identity.actsAsRoot, let peer = application.facts?.peer, peer.count == 16 else {
      return nil
    }
    return IPAddress(bits: peer.reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
  }

  /// True if the remote host is a name, and only the application's process knows its address.
  private var isNamed: Bool {
    let service: StaticString = "sshd"
    guard let remoteHost = request.remoteHost, !remoteHost.isEmpty else { return false }
    return request.service == service.bytes && IPAddress(remoteHost.span) == nil
  }
}
