import FactorStore
import Factors
import Policy
import System

// What a sign-in asks of the machine, with each failure as an outcome.
extension SignIn {
  func options() throws(Outcome.Failure) -> ModuleOptions {
    do throws(ModuleOptions.Refusal) {
      return try ModuleOptions(request.arguments)
    } catch {
      throw .arguments(error)
    }
  }

  func configuration(
    _ options: ModuleOptions
  ) throws(Outcome.Failure) -> Configuration {
    do throws(ConfigurationFile.Failure) {
      return try host.configuration(at: options.configuration)
    } catch {
      throw .configuration(error)
    }
  }

  func account() throws(Outcome.Failure) -> Account? {
    do throws(SystemError) {
      return try host.account(named: request.user)
    } catch {
      throw .account(error)
    }
  }

  /// The store, or nil where this process has no right to open it: it is some user's then, and the
  /// helper has to be asked.
  func openStore() throws(Outcome.Failure) -> Machine.Store? {
    do throws(FactorStoreError) {
      return try host.store()
    } catch {
      guard case .system(.directory, let cause) = error, cause.isForbidden,
        !host.identity.actsAsRoot
      else { throw .store(error) }
      return nil
    }
  }

  /// Has the ledger say that the configuration is another one, if it is. Where the sign-in failed, nobody
  /// went by it.
  func noteConfiguration(_ findings: Findings, _ outcome: Outcome) {
    if case .failed = outcome { return }
    guard let edition = findings.edition, let store = storeForNoting(findings, outcome),
      let (priority, line) = ConfigurationChange.note(
        edition, in: store, on: host,
        by: ConfigurationChange.somebody(seenBy: request.service))
    else { return }
    application.log(priority, line)
  }

  /// Switched off, the sign-in has no need of the store; that it is switched off is what the ledger is
  /// to say above all.
  private func storeForNoting(_ findings: Findings, _ outcome: Outcome) -> Machine.Store? {
    if let store = findings.store { return store }
    guard case .switchedOff = outcome else { return nil }
    do throws(Outcome.Failure) { return try openStore() } catch { return nil }
  }

  func snapshot(
    _ store: Machine.Store, _ account: Account
  ) throws(Outcome.Failure) -> FactorSnapshot? {
    do throws(FactorStoreError) {
      return try store.snapshot(of: account)
    } catch {
      throw .store(error)
    }
  }

  /// What is enrolled for the user: under the name of the account, or else under the first other name
  /// of its uid that has a factor. Nil where nothing is. Where `isHidden`, an observer who has proven
  /// nothing must not learn it: all names are looked up for every user, which takes the longer the more
  /// accounts the system has.
  @inline(never)
  func enrolled(
    _ account: Account, _ store: Machine.Store, isHidden: Bool = false
  ) throws(Outcome.Failure) -> (owner: Account, snapshot: FactorSnapshot)? {
    var found = try snapshot(store, account).map { (owner: account, snapshot: $0) }
    guard found == nil || isHidden else { return found }
    var index: Int32 = 0
    while let other = try otherName(of: account, at: index) {
      if found == nil, other != account {
        found = try snapshot(store, other).map { (owner: other, snapshot: $0) }
      }
      index &+= 1
    }
    if found == nil, isHidden { try imitateSnapshot(store) }
    return found
  }

  /// Does the work of reading what a user has enrolled.
  func imitateSnapshot(_ store: Machine.Store) throws(Outcome.Failure) {
    do throws(FactorStoreError) { try store.imitateSnapshot() } catch { throw .store(error) }
  }

  @inline(never)
  func otherName(
    of account: Account, at index: Int32
  ) throws(Outcome.Failure) -> Account? {
    do throws(SystemError) {
      guard let other = try host.account(sharingUIDOf: account, at: index) else {
        // The system may know no name for the uid, and /etc/passwd several.
        return index == 0 ? account : nil
      }
      return other
    } catch {
      throw .account(error)
    }
  }

  func now() throws(Outcome.Failure) -> Int64 {
    do throws(SystemError) { return try host.now() } catch { throw .clock(error) }
  }
}
