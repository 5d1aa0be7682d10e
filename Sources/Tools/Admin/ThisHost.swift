import MFAStore
import MFAAttempt
import MFAModel
import MFABase

/// The host that the program runs on.
package enum ThisHost {
  /// Throws an error if the process does not run as root.
  package static func requireRoot() throws(AdminError) {
    guard Console.isRoot else {
      throw .notRoot(arguments: Array(CommandLine.arguments.dropFirst()))
    }
  }

  /// Returns the administration of this host, and the error if the configuration cannot be used.
  ///
  /// If the configuration cannot be used, the administration has the default settings, and the
  /// command can report the error at its end. For a command that depends on the configuration
  /// (`needsConfiguration`), the error is thrown instead.
  package static func administration(
    needsConfiguration: Bool
  ) throws(AdminError) -> (Administration, AdminError?) {
    try requireRoot()
    var failure: AdminError?
    var settings = Settings.defaults
    var fingerprint: ConfigurationFingerprint?
    do throws(ConfigurationFile.Failure) {
      let configuration = try DecidingUser.configuration()
      settings = configuration.project
      fingerprint = configuration.fingerprint
    } catch {
      failure = .configuration(error)
    }
    if needsConfiguration, let failure { throw failure }
    let store = try store()
    if let fingerprint {
      note(
        fingerprint, in: store,
        by: ConfigurationChange.somebody(seenBy: Array("mfa-admin".utf8)))
    }
    let administration = Administration(
      store: store, settings: settings, now: try now(), accounts: .system,
      actor: Console.actor, log: { Log.write($0, $1) },
      deliver: { account in
        guard !Delivery.start(for: account) else { return }
        Log.write(.warning, Delivery.failure(for: account))
      },
      audit: { operation, account in
        Audit.write(
          Audit.Record(
            kind: .management, operation: operation, account: account, address: nil,
            terminal: Console.terminal,
            succeeded: true))
      }, terminal: Source(Console.terminal))
    return (administration, failure)
  }

  /// Records in the audit log that the configuration changed, if it did.
  package static func note(
    _ fingerprint: ConfigurationFingerprint, in store: LocalFactorStore,
    by actor: AuditLogEvent.Actor
  ) {
    if let (priority, line) = ConfigurationChange.note(
      fingerprint, in: store, by: actor, at: LocalAuthenticationHost().changeTime)
    {
      Log.write(priority, line)
    }
  }

  /// The largest number of adjacent time steps that any part of the host's configuration accepts, or the
  /// largest possible one if the configuration cannot be used.
  package static var mostAdjacentIntervals: UInt8 {
    do throws(ConfigurationFile.Failure) {
      let configuration = try DecidingUser.configuration()
      let tenants = configuration.tenants.compactMap { tenant in
        configuration.value(of: .adjacentIntervals, in: tenant)
          .flatMap { UInt8(String(decoding: $0, as: UTF8.self)) }
      }
      return (tenants + [configuration.project.adjacentIntervals]).max() ?? 0
    } catch {
      return Settings.adjacentIntervalsRange.upperBound
    }
  }

  /// Returns what tells the store of this host from its own one, also if a folder is missing.
  package static func storeComparison() throws(AdminError) -> StoreComparison {
    do throws(AdminError) {
      let store = try store()
      do throws(FactorStoreError) { return try store.comparison() } catch { throw .store(error) }
    } catch .store(.foreign(let difference)) {
      var comparison = StoreComparison()
      comparison.difference = difference
      return comparison
    }
  }

  static func store() throws(AdminError) -> LocalFactorStore {
    guard let location = StoreLocation.standard else { throw .store(.damaged(.directory)) }
    do throws(FactorStoreError) { return try LocalFactorStore(location) } catch {
      throw .store(error)
    }
  }

  /// Returns the current time in seconds since the epoch.
  package static func now() throws(AdminError) -> Int64 {
    do throws(SystemError) { return try Clock.now() } catch { throw .clock(error) }
  }
}
