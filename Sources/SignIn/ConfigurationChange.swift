public import FactorStore
import Factors
public import Policy
import Secrets
public import System

/// Has the ledger say that the configuration is another one than it was: whoever is the first to go by
/// it, for an editor enters nothing.
///
/// MUST 1: nobody is let in by a configuration that was not entered before, as long as the ledger can be
/// written to. (`ConfigurationChangeTests.entered`)
/// MUST 2: where it cannot, that is in the log, and changes nothing else: what is to be entered has
/// happened already. (`ConfigurationChangeTests.unwritable`)
public enum ConfigurationChange {
  /// Enters this configuration, unless it is the one that was entered last: what there is to say of it
  /// in the system log; nil where there is nothing.
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

  /// Somebody with an editor, whom `program` knows nothing of.
  public static func somebody(seenBy program: [UInt8]) -> LedgerEvent.Actor {
    LedgerEvent.Actor(name: [], uid: nil, program: program, source: Source([]))
  }

  /// The time; 0, which nobody takes for one, where there is no clock.
  private static func now<Machine: Host>(on host: Machine) -> Int64 {
    do throws(SystemError) { return try host.now() } catch { return 0 }
  }
}

extension Edition {
  /// The fingerprint in hexadecimal digits.
  var name: [UInt8] {
    var writer = ByteWriter()
    writer.write(fingerprint)
    return Hexadecimal.text(of: writer.bytes)
  }

  /// The file that was written last, and when: `/etc/mfa/mfa.conf@2026-11-21T10:18:00Z`.
  var newest: [UInt8] {
    newestFile + [UInt8(ascii: "@")] + UTCTime.precise(newestChange)
  }
}
