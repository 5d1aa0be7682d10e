import MFAAdmin
import MFAAttempt
import MFAModel
import MFASignIn
import MFAStore
import MFABase

/// A host as seen from a service's process, for `mfa-admin explain`.
struct SimulatedHost<Base: Host>: Host {
  /// The real host.
  let base: Base
  /// Whether root would start the service.
  let isCalledByRoot: Bool
  /// Whether `state = observe` counts as `enabled`.
  let isEnforced: Bool
  /// What the host has been asked before, if predictions share it.
  var memory = HostMemory()

  var codeSender: NoCodeSender { NoCodeSender() }

  var stacks: Base.Stacks { base.stacks }

  /// Returns nil: the connections of this process are not those of the user who signs in.
  func peer() -> UInt128? { nil }

  func name() -> [UInt8] { base.name() }

  func configuration(at path: [UInt8]?) throws(ConfigurationFile.Failure) -> Configuration {
    let configuration = try memory.configuration(at: path) {
      () throws(ConfigurationFile.Failure) in
      try DecidingUser.reading { () throws(ConfigurationFile.Failure) in
        try base.configuration(at: path)
      }
    }
    return isEnforced ? configuration.enforced : configuration
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
    memory.isMember(account, of: group) { base.isMember(account, of: group) }
  }

  func store() throws(FactorStoreError) -> Base.Store { try base.store() }

  var identity: ProcessIdentity { base.identity }

  func helper() throws(HelperError) -> Base.Helper { try base.helper() }

  /// Nil: the sign-in would have a session of its own.
  var session: SignInOrigin? { nil }

  var enclosingSessions: [SignInOrigin] { [] }

  /// True: the language of messages does not change the result.
  var usesUTF8: Bool { true }

  var secureShell: SecureShellConfiguration { base.secureShell }

  var leadsSession: Bool { false }

  var controllingTerminal: [UInt8]? { nil }

  func now() throws(SystemError) -> Int64 { try base.now() }

  /// Sends no mail, since the sign-in does not happen.
  func deliverNotices(to account: Account) -> Bool { true }
}
