import MFAConfiguration
import MFAFactors
import MFAPolicy
import MFASecrets
import MFASignIn
import MFAStoreFiles
import MFAProtocol
import MFAPAMStack
import MFASystem

/// A host as seen from a service's process, for `mfa-admin explain`.
struct SimulatedHost<Base: Host>: Host {
  /// The real host.
  let base: Base
  /// Whether root would start the service.
  let isCalledByRoot: Bool

  var stacks: Base.Stacks { base.stacks }

  /// Returns nil: the connections of this process are not those of the user who signs in.
  func peer() -> UInt128? { nil }

  func name() -> [UInt8] { base.name() }

  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    try base.configuration(at: path)
  }

  func account(named name: [UInt8]) throws(SystemError) -> Account? {
    try base.account(named: name)
  }

  func account(
    sharingUIDOf account: Account, at index: Int32
  ) throws(SystemError) -> Account? {
    try base.account(sharingUIDOf: account, at: index)
  }

  func isMember(_ account: Account, of group: [UInt8]) -> Bool? {
    base.isMember(account, of: group)
  }

  func store() throws(FactorStoreError) -> Base.Store { try base.store() }

  var identity: ProcessIdentity { base.identity }

  func helper() throws(HelperError) -> Base.Helper { try base.helper() }

  /// Nil: the sign-in would have a session of its own.
  var session: SignInOrigin? { nil }

  var enclosingSessions: [SignInOrigin] { [] }

  var leadsSession: Bool { false }

  var controllingTerminal: [UInt8]? { nil }

  func now() throws(SystemError) -> Int64 { try base.now() }

  /// Sends no mail, since the sign-in does not happen.
  func deliverNotices(to account: Account) -> Bool { true }
}

/// An application that answers every prompt with an empty text and stores nothing.
struct SilentApplication: Application {
  func ask(_ prompt: [UInt8], echo: Bool) -> Reply { Self.nothing }

  func tell(_ text: String, essential: Bool) {}

  var showsMessages: Bool { false }

  func reveal(_ text: String, _ secret: consuming SecretBytes) {}

  func ask(revealing prompt: consuming SecretBytes, echo: Bool) -> Reply { Self.nothing }

  func note(_ note: TransactionNote, of name: [UInt8]) -> Bool { true }

  func isNoted(_ note: TransactionNote, of name: [UInt8]) -> Bool { false }

  func log(_ priority: LogPriority, _ line: LogLine) {}

  func audit(
    _ kind: Audit.Kind, _ operation: [UInt8], _ account: [UInt8], _ address: [UInt8]?,
    _ terminal: [UInt8]?, _ succeeded: Bool
  ) {}

  func earlierAnswer() -> Reply { Self.nothing }

  func earlierMethods() -> [UInt8]? { [] }

  func forward(_ password: Span<UInt8>) -> Bool { true }

  private static var nothing: Reply {
    let empty: [UInt8] = []
    return .text(SecretBytes(copying: empty.span))
  }
}
