/// Why a request of an administrator was not carried out. The raw values are sent.
package enum AdministrationFailure: UInt8, CaseIterable, Sendable {
  /// No group of the host has `administering = on`.
  case notPermitted = 1
  /// The realm has no such host, the host was revoked, or its certificate was replaced.
  case hostRefused = 2
  /// The verifier does not know the command: it is older than the host.
  case unknownCommand = 3
  /// The verifier cannot read the request.
  case malformed = 4
  /// The store of the realm cannot be used. The detail is the part, a colon and the reason.
  case store = 5
  /// The realm has no such user, factor, grant or host. Nothing was changed.
  case notFound = 6
  /// The configuration of the verifiers has no such group of hosts. The detail is its name.
  case unknownGroup = 7
  /// The name of the host is not possible.
  case badHostName = 8
  /// The user already has the largest number of tickets and bypass codes.
  case tooManyGrants = 9
  /// The duration, the number of uses or the reason of a grant is not possible.
  case badGrant = 10
  /// The policy of the realm cannot be read.
  case policy = 11
  /// The process that sent the request does not act as root. The relay says this.
  case notRoot = 12
  /// No verifier answered. Nothing was changed. The relay says this.
  case noVerifier = 13
  /// The verifier did not answer in time. The change may have been made. The relay says this.
  case uncertain = 14
  /// No group of the host has `importing = on`, or none that has the user. The detail is the user's name.
  case importNotPermitted = 15
  /// The realm has factors or codes of another user with the new name. The detail is the name.
  case nameTaken = 16
}
