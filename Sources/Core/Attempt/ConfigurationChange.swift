import MFAStore
import MFABase
import MFAModel

/// Records in the audit log that the configuration changed. The first process that uses the new
/// configuration records the change, because an editor does not.
///
/// MUST 1: no sign-in succeeds under a configuration that has not been recorded, as long as the
/// audit log can be written. (`ConfigurationChangeTests.entered`)
/// MUST 2: a failure to write the audit log is reported in the system log and has no other effect:
/// the change itself has already happened. (`ConfigurationChangeTests.unwritable`)
package enum ConfigurationChange {
  /// Records this configuration in the audit log, unless it is the one recorded last. Returns the
  /// line to write to the system log, or nil if there is nothing to report.
  package static func note<Store: FactorStore>(
    _ fingerprint: ConfigurationFingerprint, in store: Store,
    by actor: AuditLogEvent.Actor, at time: Int64
  ) -> (LogPriority, LogLine)? {
    var line = LogLine()
    line.add("result", "policy-changed")
    line.add("configuration", escaping: fingerprint.name)
    line.add("newest", escaping: fingerprint.newest)
    do throws(FactorStoreError) {
      guard try !store.knows(configuration: fingerprint.value) else {
        return nil
      }
      let event = AuditLogEvent(
        .policyChanged, ids: fingerprint.name, detail: fingerprint.newest,
        by: actor, at: time)
      guard let checkpoint = try store.enter(event, configuration: fingerprint.value)
      else {
        return nil
      }
      line.add(checkpoint)
      return (.notice, line)
    } catch {
      line.add(error)
      return (.warning, line)
    }
  }

  /// Returns the actor for a change of the configuration files: an unknown user. `program` detected
  /// the change.
  package static func somebody(seenBy program: [UInt8]) -> AuditLogEvent.Actor {
    AuditLogEvent.Actor(name: [], uid: nil, program: program, source: Source([]))
  }
}

extension ConfigurationFingerprint {
  /// The configuration fingerprint in hexadecimal digits.
  var name: [UInt8] {
    var writer = ByteWriter()
    writer.write(value)
    return Hexadecimal.text(of: writer.bytes)
  }

  /// The most recently written file and its time: `/etc/mfa/mfa.conf@2026-11-21T10:18:00Z`.
  var newest: [UInt8] {
    newestFile + [UInt8(ascii: "@")] + UTCTime.precise(newestChange)
  }
}
