public import FactorStore
import Factors
public import Policy
import Secrets
public import System

/// Records in the audit log that the configuration changed. The first process that uses the new
/// configuration records the change, because an editor does not.
///
/// MUST 1: no sign-in succeeds under a configuration that has not been recorded, as long as the
/// audit log can be written. (`ConfigurationChangeTests.entered`)
/// MUST 2: a failure to write the audit log is reported in the system log and has no other effect:
/// the change itself has already happened. (`ConfigurationChangeTests.unwritable`)
public enum ConfigurationChange {
  /// Records this configuration in the audit log, unless it is the one recorded last. Returns the
  /// line to write to the system log, or nil if there is nothing to report.
  public static func note<Machine: Host>(
    _ edition: Edition, in store: Machine.Store, on host: Machine, by actor: LedgerEvent.Actor
  ) -> (LogPriority, LogLine)? {
    do throws(FactorStoreError) {
      guard try !store.knows(configuration: edition.fingerprint) else { return nil }
      let event = LedgerEvent(
        .policyChanged, ids: edition.name, detail: edition.newest, by: actor, at: now(on: host))
      guard let mark = try store.enter(event, configuration: edition.fingerprint) else {
        return nil
      }
      return (.notice, Event.configurationChanged(edition, mark))
    } catch {
      return (.warning, Event.configurationNotEntered(edition, error))
    }
  }

  /// Returns the actor for a change of the configuration files: a user unknown to `program`.
  public static func somebody(seenBy program: [UInt8]) -> LedgerEvent.Actor {
    LedgerEvent.Actor(name: [], uid: nil, program: program, source: Source([]))
  }

  /// Returns the time, or 0 if the clock cannot be read.
  private static func now<Machine: Host>(on host: Machine) -> Int64 {
    do throws(SystemError) { return try host.now() } catch { return 0 }
  }
}

extension Edition {
  /// The configuration fingerprint in hexadecimal digits.
  var name: [UInt8] {
    var writer = ByteWriter()
    writer.write(fingerprint)
    return Hexadecimal.text(of: writer.bytes)
  }

  /// The most recently written file and its time: `/etc/mfa/mfa.conf@2026-11-21T10:18:00Z`.
  var newest: [UInt8] {
    newestFile + [UInt8(ascii: "@")] + UTCTime.precise(newestChange)
  }
}
