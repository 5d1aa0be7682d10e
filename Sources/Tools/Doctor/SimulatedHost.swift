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

  func publicConfiguration(at path: [UInt8]) throws(ConfigurationFile.Failure) -> Configuration {
    let configuration = try base.publicConfiguration(at: path)
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

  /// Who would run the service.
  var identity: ProcessIdentity {
    ProcessIdentity(user: isCalledByRoot ? 0 : .max, actsAsRoot: true, isConfined: false)
  }

  var secureShell: SecureShellConfiguration { base.secureShell }

  func now() throws(SystemError) -> Int64 { try base.now() }

  /// Sends no mail, since the sign-in does not happen.
  func deliverNotices(to account: Account) -> Bool { true }
}
