import MFAWire
import MFAPAMStack
import MFAAttempt
import MFAStore
import MFAModel
import MFABase

// Calls to the host, with failures converted to results.
extension SignIn {
  func options() throws(Pause) -> ModuleOptions {
    do throws(ModuleOptions.Refusal) {
      return try ModuleOptions(request.arguments)
    } catch {
      throw .arguments(error)
    }
  }

  func configuration(
    _ options: ModuleOptions
  ) throws(Pause) -> Configuration {
    do throws(ConfigurationError) {
      if let path = options.configuration, !identity.actsAsRoot {
        return try host.publicConfiguration(at: path)
      }
      return try host.configuration(at: options.configuration)
    } catch {
      throw .configuration(error)
    }
  }

  func account() throws(Pause) -> Account? {
    do throws(SystemError) {
      return try host.account(named: request.user)
    } catch {
      throw .account(error)
    }
  }

  /// Opens the store.
  func openStore() throws(Pause) -> Machine.Store {
    do throws(FactorStoreError) { return try host.store() } catch { throw .store(error) }
  }

  /// Records in the audit log that the configuration changed, if it did. Records nothing for a
  /// sign-in that failed with an error, because the configuration was not applied.
  func recordConfigurationChange(_ result: SignInResult, _ resolved: Resolved) {
    if case .denied(.failed) = result { return }
    guard let fingerprint = resolved.fingerprint, let store = storeForRecording(result, resolved),
      let (priority, line) = ConfigurationChange.note(
        fingerprint, in: store, by: ConfigurationChange.somebody(seenBy: request.service),
        at: host.changeTime)
    else { return }
    application.log(priority, line)
  }

  /// Returns the store for the audit log. If multi-factor authentication is switched off, the
  /// sign-in has not opened the store, but switching off is the most important change to record.
  private func storeForRecording(
    _ result: SignInResult, _ resolved: Resolved
  ) -> Machine.Store? {
    if let store = resolved.store { return store }
    guard case .passed(.switchedOff) = result else { return nil }
    do throws(Pause) { return try openStore() } catch { return nil }
  }

  func snapshot(
    _ store: Machine.Store, _ account: Account
  ) throws(Pause) -> FactorSnapshot? {
    do throws(FactorStoreError) {
      return try store.snapshot(of: account)
    } catch {
      throw .store(error)
    }
  }

  /// Returns what is enrolled for the user, under the account's name or under the first other name
  /// of its uid that has a factor. Returns nil if nothing is enrolled.
  ///
  /// If `isHidden`, all names are looked up for every user, so that an unauthenticated observer
  /// cannot tell from the time taken which users are enrolled. The more accounts the system has,
  /// the longer this takes.
  @inline(never)
  func enrolled(
    _ account: Account, _ store: Machine.Store, isHidden: Bool = false
  ) throws(Pause) -> (owner: Account, snapshot: FactorSnapshot)? {
    var found = try snapshot(store, account).map { (owner: account, snapshot: $0) }
    guard found == nil || isHidden else { return found }
    var index: Int32 = 0
    while let other = try otherName(of: account, at: index) {
      if found == nil, other != account {
        found = try snapshot(store, other).map { (owner: other, snapshot: $0) }
      }
      index &+= 1
    }
    if found == nil, isHidden { try readDecoy(store) }
    return found
  }

  /// Does the work of reading an enrolled user's record, so that the time taken is the same.
  func readDecoy(_ store: Machine.Store) throws(Pause) {
    do throws(FactorStoreError) { _ = try store.decoy(like: nil) } catch { throw .store(error) }
  }

  @inline(never)
  func otherName(
    of account: Account, at index: Int32
  ) throws(Pause) -> Account? {
    do throws(SystemError) {
      guard let other = try host.account(sharingUIDOf: account, at: index) else {
        // The system may know no name for a uid that /etc/passwd has several names for.
        return index == 0 ? account : nil
      }
      return other
    } catch {
      throw .account(error)
    }
  }

  func now() throws(Pause) -> Int64 {
    do throws(SystemError) { return try host.now() } catch { throw .clock(error) }
  }
}
