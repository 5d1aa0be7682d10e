import FactorStore
import Factors
import Policy
import SignIn
import System

/// The machine that the program runs on.
enum ThisHost {
  /// What an administrator may do here. Where the configuration only decides about what is shown,
  /// its defaults stand in for one that cannot be used, and the error comes along, to be reported
  /// at the end; where it decides about what is written (`needsConfiguration`), the error is thrown.
  static func administration(
    needsConfiguration: Bool
  ) throws(AdminError) -> (Administration, AdminError?) {
    guard Console.isRoot else {
      throw .notRoot(arguments: Array(CommandLine.arguments.dropFirst()))
    }
    var failure: AdminError?
    var settings = Settings.defaults
    var edition: Edition?
    do throws(ConfigurationFile.Failure) {
      let configuration = try ConfigurationFile.read()
      settings = configuration.project
      edition = configuration.edition
    } catch {
      failure = .configuration(error)
    }
    if needsConfiguration, let failure { throw failure }
    let store = try store()
    if let edition {
      note(edition, in: store, by: ConfigurationChange.somebody(seenBy: Array("mfa-admin".utf8)))
    }
    let administration = Administration(
      store: store, settings: settings, now: try now(), accounts: .system,
      actor: Console.actor, log: { Log.write($0, $1) },
      deliver: { account in
        guard !Delivery.start(for: account) else { return }
        Log.write(.warning, Event.undelivered(account))
      },
      audit: { operation, account in
        Audit.write(
          .management, operation, account: account, address: nil, terminal: Console.terminal,
          succeeded: true)
      }, terminal: Source(Console.terminal))
    return (administration, failure)
  }

  /// Has the ledger say that the configuration is another one, if it is.
  static func note(_ edition: Edition, in store: LocalFactorStore, by actor: LedgerEvent.Actor) {
    if let (priority, line) = ConfigurationChange.note(
      edition, in: store, on: LocalHost(), by: actor)
    {
      Log.write(priority, line)
    }
  }

  private static func store() throws(AdminError) -> LocalFactorStore {
    guard let location = StoreLocation.standard else { throw .store(.damaged(.directory)) }
    do throws(FactorStoreError) { return try LocalFactorStore(location) } catch {
      throw .store(error)
    }
  }

  private static func now() throws(AdminError) -> Int64 {
    do throws(SystemError) { return try Clock.now() } catch { throw .clock(error) }
  }
}
