import MFAWire
import MFAPAMStack
import MFAAttempt
import MFAStore
import MFAModel
import MFABase

// The policy, account and store, which are determined before the user is asked.
extension SignIn {
  /// Determines what applies to this sign-in. A failure is part of the value, because the policy
  /// state that is known by then decides whether the failure denies.
  ///
  /// The `auth` line needs the store for an unknown user too, in order to take the same time.
  ///
  /// - Throws: `.facts` alone.
  func resolve(needsStoreForUnknownUser: Bool = true) throws(Pause) -> Resolved {
    var options = ModuleOptions()
    do throws(Pause) {
      options = try self.options()
      return try resolve(
        options, try configuration(options), needsStoreForUnknownUser: needsStoreForUnknownUser)
    } catch {
      guard case .failure(let failure) = error else { throw error }
      return Resolved(options: options, settings: .defaults, state: .enabled, failure: failure)
    }
  }

  private func resolve(
    _ options: ModuleOptions, _ configuration: Configuration, needsStoreForUnknownUser: Bool
  ) throws(Pause) -> Resolved {
    // The audit log tracks the host's configuration. A file that only one service uses would be
    // recorded as a change at every other sign-in.
    let fingerprint = options.configuration == nil ? configuration.fingerprint : nil
    // Without tenants, the settings do not depend on the user. With tenants, the state stays
    // `enabled` until the user is known, so that an error denies.
    var state = configuration.tenants.isEmpty ? configuration.project.state : .enabled
    var account: Account?
    var settings = configuration.project
    var store: Machine.Store?
    var daemons: [Daemon] = []
    do throws(Pause) {
      if state != .disabled {
        account = try self.account()
        // The arguments of an application that does not act as root are its own word.
        if options.configuration == nil { daemons = try self.daemons(configuration) }
        settings = try settingsInForce(configuration, account)
        state = settings.state
      }
      if state != .disabled, account != nil || needsStoreForUnknownUser {
        store = try openStore()
      }
      if state != .disabled { try requireFacts(configuration, settings) }
    } catch {
      guard case .failure(let failure) = error else { throw error }
      let resolved = Resolved(
        options: options, settings: settings, state: state, account: account,
        fingerprint: fingerprint, failure: failure)
      resolved.continuation = continuation(nil)
      return resolved
    }
    let resolved = Resolved(
      options: options, settings: settings, state: state, account: account, store: store,
      fingerprint: fingerprint, followsSessions: configuration.followsSessions,
      daemons: daemons)
    resolved.continuation = continuation(store)
    return resolved
  }

  /// Asks for facts about the application's process if the policy may depend on them. Whether they are
  /// needed does not depend on the user, because an observer would notice.
  private func requireFacts(
    _ configuration: Configuration, _ settings: Settings
  ) throws(Pause) {
    guard application.facts == nil, identity.actsAsRoot, line == .auth else { return }
    // A code can also come from before policy forbade phones.
    guard
      configuration.followsSessions || settings.canSendCodes
        || settings.oldestCode(in: request.service) > 0
    else { return }
    throw .facts
  }

  private func settingsInForce(
    _ configuration: Configuration, _ account: Account?
  ) throws(Pause) -> Settings {
    configuration.settings(
      for: subject(account, address: configuration.namesNetworks ? try numericAddress() : nil))
  }

  /// Returns the sign-in as tenants and daemons are matched against it.
  func subject(_ account: Account?, address: IPAddress?) -> Subject {
    Subject(user: account?.name ?? request.user, service: request.service, address: address) {
      group in
      guard let account else { return false }
      return host.isMember(account, of: group)
    }
  }

  /// Returns the daemons of this service whose system user runs the application.
  private func daemons(_ configuration: Configuration) throws(Pause) -> [Daemon] {
    guard !identity.actsAsRoot else { return [] }
    var daemons: [Daemon] = []
    for daemon in configuration.daemons where daemon.services.contains(request.service) {
      do throws(SystemError) {
        if try host.account(identity.user, isNamed: daemon.user) { daemons.append(daemon) }
      } catch {
        throw .account(error)
      }
    }
    return daemons
  }
}
