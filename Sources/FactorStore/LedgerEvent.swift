public import Factors

/// Something that happened to what lets people in, for the ledger. Nothing in it is secret.
///
/// A class, so that the module, which hands it on from function to function, has little code for it.
public final class LedgerEvent: Sendable {
  /// What happened: one of these, as a line of the ledger names it.
  public struct Kind: Sendable {
    /// The name.
    public let name: StaticString

    /// How long an entry may wait for the ledger's lock, in seconds; 0 for one try. A sign-in does not
    /// wait, or hardly, for others: not at all for an entry about what has happened already.
    let patience: Int64

    private init(_ name: StaticString, patience: Int64 = OwnedFile.patience) {
      self.name = name
      self.patience = patience
    }

    /// A factor was bound.
    public static var enrolled: Kind { Kind("enrolled") }
    /// A factor was bound with a ticket in the place of a password.
    public static var enrolledByTicket: Kind { Kind("enrolled-by-ticket") }
    /// A factor was taken over from another program.
    public static var imported: Kind { Kind("imported") }
    /// A factor was given another name.
    public static var renamed: Kind { Kind("renamed") }
    /// A factor was taken away.
    public static var unenrolled: Kind { Kind("unenrolled") }
    /// A factor's clock was put right.
    public static var resynchronized: Kind { Kind("resynchronized") }
    /// A recovery code was used.
    public static var recoveryCodeUsed: Kind { Kind("recovery-code-used", patience: 1) }
    /// New recovery codes were made, and the old ones are void.
    public static var recoveryCodesMade: Kind { Kind("recovery-codes-made") }
    /// An administrator made a ticket.
    public static var ticketMade: Kind { Kind("ticket-made") }
    /// An administrator made a bypass code.
    public static var bypassMade: Kind { Kind("bypass-made") }
    /// A bypass code was used.
    public static var bypassUsed: Kind { Kind("bypass-used", patience: 1) }
    /// Tickets or bypass codes were taken back.
    public static var grantWithdrawn: Kind { Kind("grant-withdrawn") }
    /// Everything that lets a user in was taken away.
    public static var revoked: Kind { Kind("revoked") }
    /// Wrong codes were forgotten.
    public static var unlocked: Kind { Kind("unlocked") }
    /// Codes that were remembered are asked for again.
    public static var forgotten: Kind { Kind("forgotten") }
    /// An administrator accepted files that are older than the audit log says.
    public static var restoreAccepted: Kind { Kind("restore-accepted") }
    /// An administrator began this audit log; the reason is the detail.
    public static var logBegun: Kind { Kind("log-begun") }
    /// The user had this record when the audit log was begun.
    public static var recordPresent: Kind { Kind("record-present") }
    /// An administrator is about to change the configuration with mfa-admin.
    public static var configured: Kind { Kind("configured") }
    /// The configuration is another one than it was when last looked at.
    public static var policyChanged: Kind { Kind("policy-changed", patience: 0) }
    /// A service was switched on, to be confirmed or for good.
    public static var serviceEnabled: Kind { Kind("service-enabled") }
    /// A service that was switched on was confirmed.
    public static var serviceConfirmed: Kind { Kind("service-confirmed") }
    /// A service was switched off.
    public static var serviceDisabled: Kind { Kind("service-disabled") }
    /// A service that was switched on was put back, for nobody had confirmed it in time.
    public static var serviceRestored: Kind { Kind("service-restored") }
  }

  /// Who did it, through what, and from where.
  public final class Actor: Sendable {
    /// The account's name; empty where it is not known.
    public let name: [UInt8]
    /// The account's numeric identity; nil where it is not known.
    public let uid: UInt32?
    /// The program, or the PAM service of a sign-in.
    public let program: [UInt8]
    /// From where.
    public let source: Source

    /// Puts an actor together.
    @inline(never)
    public init(name: [UInt8], uid: UInt32?, program: [UInt8], source: Source) {
      self.name = name
      self.uid = uid
      self.program = program
      self.source = source
    }
  }

  /// What happened.
  public let kind: Kind
  /// What it happened to: the ids of factors and grants, or the fingerprint of the configuration, in
  /// hexadecimal digits, with commas between them.
  public let ids: [UInt8]
  /// The factor's name, the grant's reason, or the file, with when it was written where that is known.
  public let detail: [UInt8]
  /// Who did it.
  public let actor: Actor
  /// When, in seconds since the epoch.
  public let time: Int64

  /// Puts an event together.
  @inline(never)
  public init(
    _ kind: Kind, ids: [UInt8] = [], detail: [UInt8] = [], by actor: Actor, at time: Int64
  ) {
    self.kind = kind
    self.ids = ids
    self.detail = detail
    self.actor = actor
    self.time = time
  }

  /// An event that happened to a factor.
  @inline(never)
  public convenience init(_ kind: Kind, _ factor: Factor, by actor: Actor, at time: Int64) {
    self.init(
      kind, ids: factor.id.hexadecimal, detail: factor.displayName.utf8, by: actor, at: time)
  }

  /// An event that happened to a grant.
  @inline(never)
  public convenience init(_ kind: Kind, _ grant: Grant, by actor: Actor, at time: Int64) {
    self.init(
      kind, ids: grant.id.hexadecimal, detail: grant.reason?.utf8 ?? [], by: actor, at: time)
  }
}
