import MFABase
import MFAModel

/// A change to how users can sign in, to be recorded in the audit log. It contains no secret.
///
/// This is a class because the module passes events through many functions, and copies of a large
/// value add code.
package final class AuditLogEvent: Sendable {
  /// The type of event, as named in a line of the audit log.
  package struct Kind: Sendable {
    /// The name.
    package let name: StaticString

    /// How long to wait for the audit log's lock, in seconds; 0 to try once. A sign-in waits only
    /// briefly, and does not wait to record an event that has already happened.
    package let patience: Int64

    /// Whether the event withdraws or restores access, so that it must be recorded on a full file
    /// system too.
    let usesReserve: Bool

    private init(
      _ name: StaticString, patience: Int64 = OwnedFile.patience, usesReserve: Bool = false
    ) {
      self.name = name
      self.patience = patience
      self.usesReserve = usesReserve
    }

    /// A factor was enrolled.
    package static var enrolled: Kind { Kind("enrolled") }
    /// A factor was enrolled with a ticket instead of a password.
    package static var enrolledByTicket: Kind { Kind("enrolled-by-ticket") }
    /// A factor was imported from another program.
    package static var imported: Kind { Kind("imported") }
    /// A host of a realm imported a user of its local store; `detail` is the number of the import.
    package static var importedFromHost: Kind { Kind("imported-from-host") }
    /// What a host imported for a user was removed; `detail` is the number of the import.
    package static var importUndone: Kind {
      Kind("import-undone", usesReserve: true)
    }
    /// A factor was renamed.
    package static var renamed: Kind { Kind("renamed") }
    /// A factor was removed.
    package static var unenrolled: Kind { Kind("unenrolled", usesReserve: true) }
    /// The clock offset of a factor was corrected.
    package static var resynchronized: Kind { Kind("resynchronized") }
    /// A recovery code was used.
    package static var recoveryCodeUsed: Kind {
      Kind("recovery-code-used", patience: 1, usesReserve: true)
    }
    /// A recovery code was used, and unlocked the user's factors.
    package static var unlockedByRecoveryCode: Kind {
      Kind("unlocked-by-recovery-code", patience: 1, usesReserve: true)
    }
    /// New recovery codes were created, which invalidates the old ones.
    package static var recoveryCodesMade: Kind { Kind("recovery-codes-made") }
    /// An administrator created a ticket.
    package static var ticketMade: Kind { Kind("ticket-made") }
    /// An administrator created a bypass code.
    package static var bypassMade: Kind { Kind("bypass-made", usesReserve: true) }
    /// A bypass code was used.
    package static var bypassUsed: Kind {
      Kind("bypass-used", patience: 1, usesReserve: true)
    }
    /// The user made a program password; `detail` is its name.
    package static var programPasswordMade: Kind { Kind("program-password-made") }
    /// The user removed a program password; `detail` is its name.
    package static var programPasswordRemoved: Kind {
      Kind("program-password-removed", usesReserve: true)
    }
    /// Tickets, bypass codes or program passwords were withdrawn.
    package static var grantWithdrawn: Kind { Kind("grant-withdrawn", usesReserve: true) }
    /// All factors, recovery codes and grants of a user were removed.
    package static var revoked: Kind { Kind("revoked", usesReserve: true) }
    /// What a realm has about a user was moved to the user's new name; `detail` is the name before.
    package static var userRenamed: Kind { Kind("user-renamed") }
    /// A user's failed attempts were cleared.
    package static var unlocked: Kind { Kind("unlocked", usesReserve: true) }
    /// A user's remembered sign-ins were cleared.
    package static var forgotten: Kind { Kind("forgotten", usesReserve: true) }
    /// An administrator accepted files that are older than the audit log requires.
    package static var restoreAccepted: Kind { Kind("restore-accepted", usesReserve: true) }
    /// An administrator began this audit log; `detail` is the reason.
    package static var logBegun: Kind { Kind("audit-log-begun") }
    /// An administrator made a store the host's own; `detail` is how it differed.
    package static var storeAdopted: Kind { Kind("store-adopted") }
    /// The user had this record when the audit log was begun.
    package static var recordPresent: Kind { Kind("record-present") }
    /// An administrator began to change the key; `detail` is the last entry of the earlier key.
    package static var rekeyBegun: Kind { Kind("rekey-begun") }
    /// A record was sealed with the next key, and is otherwise as it was.
    package static var resealed: Kind { Kind("resealed") }
    /// Every record is sealed with the next key, and the earlier one is about to be removed.
    package static var rekeyed: Kind { Kind("rekeyed") }
    /// An administrator began to restore a backup; `detail` is its time, in seconds since the epoch.
    package static var restoreBegun: Kind { Kind("restore-begun") }
    /// The user's data of a backup is put in the place of the present data.
    package static var restored: Kind { Kind("restored") }
    /// The user is not in the backup that is restored, and the user's data is removed.
    package static var removedByRestore: Kind { Kind("removed-by-restore") }
    /// Every user of a backup is restored.
    package static var restoreEnded: Kind { Kind("restore-ended") }
    /// An administrator is about to change the configuration with mfa-admin.
    package static var configured: Kind { Kind("configured") }
    /// The configuration changed since it was last checked.
    package static var policyChanged: Kind { Kind("policy-changed", patience: 0) }
    /// A service was enabled, permanently or pending confirmation.
    package static var serviceEnabled: Kind { Kind("service-enabled") }
    /// An enabled service was confirmed.
    package static var serviceConfirmed: Kind { Kind("service-confirmed") }
    /// A service was disabled.
    package static var serviceDisabled: Kind { Kind("service-disabled", usesReserve: true) }
    /// An enabled service was rolled back because it was not confirmed in time.
    package static var serviceRestored: Kind { Kind("service-restored", usesReserve: true) }
    /// An administrator accepted a finding of `mfa-admin doctor`; `detail` is its place and the
    /// reason.
    package static var findingAccepted: Kind { Kind("finding-accepted") }
    /// An administrator withdrew the acceptance of a finding.
    package static var findingWithdrawn: Kind { Kind("finding-withdrawn") }
    /// An administrator had codes sent to phones again after too few came back.
    package static var sendingResumed: Kind { Kind("sending-resumed") }
    /// An administrator sends a test message to a phone; `detail` has the end of the number.
    package static var testMessageSent: Kind { Kind("test-message-sent") }
    /// An administrator is about to see the phone numbers of a user; `detail` is the user's name.
    package static var numbersRevealed: Kind { Kind("numbers-revealed") }
    /// An administrator created a ticket with which a host can join the realm; `detail` is the host.
    package static var hostTicketMade: Kind { Kind("host-ticket-made") }
    /// A host joined the realm; `detail` is the host.
    package static var hostJoined: Kind { Kind("host-joined") }
    /// The certificate of a host was renewed; `detail` is the host.
    package static var hostRenewed: Kind { Kind("host-renewed") }
    /// All certificates of a host were revoked; `detail` is the host.
    package static var hostRevoked: Kind { Kind("host-revoked") }
    /// New offline recovery codes were created; `detail` is the group of hosts.
    package static var offlineCodesMade: Kind { Kind("offline-codes-made") }
    /// A host allowed a user with an offline recovery code; `detail` is the host.
    package static var offlineCodeUsed: Kind { Kind("offline-code-used") }
    /// As `offlineCodeUsed`, but the code had been used or replaced before the host reported it.
    package static var offlineCodeUsedAgain: Kind { Kind("offline-code-used-again") }
    /// A host compared an offline recovery code; `detail` is the host.
    package static var offlineAttempt: Kind { Kind("offline-attempt") }
    /// A host allowed a user because of a recent sign-in; `detail` is the host.
    package static var offlineRemembered: Kind { Kind("offline-remembered") }
    /// A host allowed a member of the break-glass group without a code; `detail` is the host.
    package static var offlineBreakGlass: Kind { Kind("offline-break-glass") }
    /// The queue of a host was changed, is incomplete, or does not follow what was reported before; `detail` is
    /// the host.
    package static var offlineQueueBroken: Kind { Kind("offline-queue-broken") }
    /// A host reported what it may not report, about an outage; `detail` is the host and the number of records.
    package static var offlineRecordsRefused: Kind { Kind("offline-records-refused") }
    /// An administrator is about to begin an epoch of the realm; `detail` is its number.
    package static var epochBegun: Kind { Kind("epoch-begun") }
  }

  /// The account, program and source that caused an event.
  package final class Actor: Sendable {
    /// The account's name; empty if unknown.
    package let name: [UInt8]
    /// The account's uid; nil if unknown.
    package let uid: UInt32?
    /// The name of the program, or of the PAM service for a sign-in.
    package let program: [UInt8]
    /// The address, terminal or program that the request came from.
    package let source: Source

    /// Creates an actor.
    @inline(never)
    package init(name: [UInt8], uid: UInt32?, program: [UInt8], source: Source) {
      self.name = name
      self.uid = uid
      self.program = program
      self.source = source
    }
  }

  /// The type of event.
  package let kind: Kind
  /// The ids of the factors and grants concerned, or the configuration fingerprint: hexadecimal
  /// digits, separated by commas.
  package let ids: [UInt8]
  /// The factor's name, the grant's reason, or the configuration file and, if known, its
  /// modification time.
  package let detail: [UInt8]
  /// The account, program and source that caused the event.
  package let actor: Actor
  /// The time of the event, in seconds since the epoch.
  package let time: Int64

  /// Creates an event.
  @inline(never)
  package init(
    _ kind: Kind, ids: [UInt8] = [], detail: [UInt8] = [], by actor: Actor, at time: Int64
  ) {
    self.kind = kind
    self.ids = ids
    self.detail = detail
    self.actor = actor
    self.time = time
  }

  /// Creates an event about a factor.
  @inline(never)
  package convenience init(_ kind: Kind, _ factor: Factor, by actor: Actor, at time: Int64) {
    self.init(
      kind, ids: factor.id.hexadecimal, detail: factor.displayName.utf8, by: actor, at: time)
  }

  /// Creates an event about a grant.
  @inline(never)
  package convenience init(_ kind: Kind, _ grant: Grant, by actor: Actor, at time: Int64) {
    self.init(
      kind, ids: grant.id.hexadecimal, detail: grant.reason?.utf8 ?? [], by: actor, at: time)
  }
}
