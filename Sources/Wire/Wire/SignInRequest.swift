/// A sign-in as described by PAM. None of the values is trusted.
package struct SignInRequest: Sendable {
  /// PAM_USER
  package let user: [UInt8]
  /// PAM_SERVICE
  package let service: [UInt8]
  /// PAM_RHOST: an address, a host name, or nothing
  package let remoteHost: [UInt8]?
  /// PAM_TTY
  package let terminal: [UInt8]?
  /// The module's arguments in the service file
  package let arguments: [[UInt8]]

  /// Creates a request.
  package init(
    user: [UInt8], service: [UInt8], remoteHost: [UInt8]? = nil, terminal: [UInt8]? = nil,
    arguments: [[UInt8]] = []
  ) {
    self.user = user
    self.service = service
    self.remoteHost = remoteHost
    self.terminal = terminal
    self.arguments = arguments
  }
}
