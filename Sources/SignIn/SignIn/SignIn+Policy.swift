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
  func resolve(needsStoreForUnknownUser: Bool = true) -> Resolved {
    var options = ModuleOptions()
    do throws(SignInResult.Failure) {
      options = try self.options()
      return resolve(
        options, try configuration(options), needsStoreForUnknownUser: needsStoreForUnknownUser)
    } catch {
      return Resolved(options: options, settings: .defaults, state: .enabled, failure: error)
    }
  }

  private func resolve(
    _ options: ModuleOptions, _ configuration: Configuration, needsStoreForUnknownUser: Bool
  ) -> Resolved {
    // The audit log tracks the host's configuration. A file that only one service uses would be
    // recorded as a change at every other sign-in.
    let fingerprint = options.configuration == nil ? configuration.fingerprint : nil
    // Without tenants, the settings do not depend on the user. With tenants, the state stays
    // `enabled` until the user is known, so that an error denies.
    var state = configuration.tenants.isEmpty ? configuration.project.state : .enabled
    var account: Account?
    var settings = configuration.project
    var store: Machine.Store?
    do throws(SignInResult.Failure) {
      if state != .disabled {
        account = try self.account()
        settings = settingsInForce(configuration, account)
        state = settings.state
      }
      if state != .disabled, account != nil || needsStoreForUnknownUser {
        store = try openStore()
      }
    } catch {
      return Resolved(
        options: options, settings: settings, state: state, account: account,
        fingerprint: fingerprint, failure: error)
    }
    return Resolved(
      options: options, settings: settings, state: state, account: account, store: store,
      fingerprint: fingerprint, followsSessions: configuration.followsSessions)
  }

  private func settingsInForce(
    _ configuration: Configuration, _ account: Account?
  ) -> Settings {
    configuration.settings(
      for: Subject(
        user: account?.name ?? request.user, service: request.service,
        address: configuration.namesNetworks ? numericAddress() : nil
      ) { group in
        guard let account else { return false }
        return host.isMember(account, of: group)
      })
  }
}
