/// A sign-in as described by PAM. None of the values is trusted.
public struct SignInRequest: Sendable {
  /// PAM_USER
  public let user: [UInt8]
  /// PAM_SERVICE
  public let service: [UInt8]
  /// PAM_RHOST: an address, a host name, or nothing
  public let remoteHost: [UInt8]?
  /// PAM_TTY
  public let terminal: [UInt8]?
  /// The module's arguments in the service file
  public let arguments: [[UInt8]]

  /// Creates a request.
  public init(
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
