public import FoundationEssentials
public import MFABase
import MFAModel
import MFAWire

/// A password for a program, such as a mail client, that cannot ask for a code. It signs the user in, in place of
/// password and code, in some services.
public struct ProgramPasswordInfo: Equatable, Sendable {
  /// The identifier.
  public let uid: String
  /// The user's name for the program.
  public let displayName: String
  /// When the password was made.
  public let creationDate: Date
  /// When the password is no longer valid.
  public let expirationDate: Date
  /// The PAM services in which it is valid.
  public let services: [String]
  /// The networks that it is valid from, such as `192.0.2.0/24`; empty for every address.
  public let networks: [String]

  let id: GrantID

  init(_ summary: ProgramPasswordSummary) {
    id = summary.id
    uid = String(decoding: summary.id.hexadecimal, as: UTF8.self)
    displayName = String(decoding: summary.name.utf8, as: UTF8.self)
    creationDate = Date(timeIntervalSince1970: TimeInterval(summary.madeAt))
    expirationDate = Date(timeIntervalSince1970: TimeInterval(summary.expiresAt))
    services = summary.scope?.services.map { String(decoding: $0, as: UTF8.self) } ?? []
    networks = summary.scope?.networks.map { String(decoding: $0.text, as: UTF8.self) } ?? []
  }
}

/// A new password for a program, to be shown once. The host keeps no copy that could be shown again.
public struct ProgramPasswordText: ~Copyable, Sendable {
  /// What the list of passwords says about it.
  public let info: ProgramPasswordInfo
  private let text: SecretBytes

  init(_ new: consuming NewProgramPassword) {
    info = ProgramPasswordInfo(new.summary)
    text = SecretBytes(copying: new.text.span)
  }

  /// Calls `body` with the password, in ASCII as the program needs it: `mfa-` and four groups of five letters and
  /// digits, with hyphens.
  public func withText<Failure: Error>(
    _ body: (borrowing SecretBytes) throws(Failure) -> Void
  ) throws(Failure) { try body(text) }
}

extension MultiFactor {
  /// The user's passwords for programs, oldest first, also those whose time is over.
  public var programPasswords: [ProgramPasswordInfo] {
    get throws(MultiFactorError) {
      guard case .programPasswords(let passwords) = try exchange(.listProgramPasswords) else {
        throw closeAfterProtocolError()
      }
      return passwords.map { ProgramPasswordInfo($0) }
    }
  }

  /// Makes a password for a program. Needs a session in this conversation.
  ///
  /// - Parameters:
  ///   - displayName: the user's name for the program: 1 to 64 Unicode scalars (`isSupported(displayName:)`).
  ///   - services: the PAM services in which it is valid; empty for all in which policy accepts such passwords.
  ///   - networks: the networks that it is valid from, such as `192.0.2.0/24`; empty for every address.
  ///   - seconds: how long it is valid: one day to two years.
  /// - Returns: the password, which cannot be shown again.
  /// - Throws: `programPasswordRefused`; `invalidArgument` if a service, a network or the time is not valid;
  ///   `unsupportedDisplayName`, `factorNotFound` if no factor is enrolled, `requiresRecentLogin`, `sessionExpired`, or
  ///   any other failure that the helper reports.
  public func makeProgramPassword(
    named displayName: String, services: [String] = [], networks: [String] = [],
    validForSeconds seconds: Int
  ) throws(MultiFactorError) -> ProgramPasswordText {
    try checkSignedIn()
    let name = try Self.displayName(displayName)
    guard let networks = Self.canonical(networks) else { throw .invalidArgument }
    let names = Array(services.joined(separator: " ").utf8)
    guard let seconds = UInt32(exactly: seconds), names.count <= ProgramScope.longestText,
      networks.count <= ProgramScope.longestText
    else { throw .invalidArgument }
    let request = ProgramPasswordRequest(
      name: name, services: names, networks: networks, seconds: seconds)
    guard case .programPassword(let new) = try exchange(.makeProgramPassword(request)) else {
      throw closeAfterProtocolError()
    }
    return ProgramPasswordText(new)
  }

  /// Removes a password for a program: it is no longer accepted. Needs a session in this conversation.
  ///
  /// - Parameter password: one of `programPasswords`.
  /// - Throws: `programPasswordRefused`, `requiresRecentLogin`, `sessionExpired`, or any other failure that the helper
  ///   reports.
  public func remove(_ password: ProgramPasswordInfo) throws(MultiFactorError) {
    try checkSignedIn()
    guard case .done = try exchange(.removeProgramPassword(password.id)) else {
      throw closeAfterProtocolError()
    }
  }

  /// Returns networks in canonical form with spaces between them, or nil if a text is not a network.
  private static func canonical(_ networks: [String]) -> [UInt8]? {
    var joined: [UInt8] = []
    for text in networks {
      guard let network = Network(containing: Array(text.utf8).span) else { return nil }
      if !joined.isEmpty { joined.append(UInt8(ascii: " ")) }
      joined += network.text
    }
    return joined
  }
}
