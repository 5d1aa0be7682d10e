/// The uses of the checksum key. Each use has its own number, which is part of the message, so that
/// a checksum for one use is never valid for another.
package enum ChecksumPurpose: UInt8, Sendable {
  case record = 1
  case attemptState = 2
  case recoveryCode = 3
  case auditLogEntry = 4
  case auditLogHead = 5
  /// The fingerprint by which the audit log names a record.
  case recordFingerprint = 6
  /// The address or session that a sign-in is remembered from.
  case signInOrigin = 7
  case auditLogIndexPage = 8
  /// The last code that a user typed.
  case failedCode = 9
  /// The part of the audit log that was written with an earlier key.
  case auditLogEarlierPart = 10
  /// The files of a backup.
  case backup = 11
  /// The phone numbers to which messages were sent.
  case phoneNumber = 12
  /// The list of messages to phones.
  case sendLog = 13
  /// A code that was sent to a phone.
  case sentCode = 14
  /// The attempt state of a user in a shared store.
  case sharedAttemptState = 15
  /// The end of the audit log of a shared store.
  case sharedAuditLogEnd = 16
  /// The result that a shared store returns again for a repeated request.
  case sharedAnswer = 17
  /// A host of a realm.
  case fleetHost = 18
  /// A ticket with which a host joins a realm.
  case fleetTicket = 19
  /// When a host or a verifier of a fleet was seen last.
  case fleetLastSeen = 24
  /// The entry of a user in the directory service.
  case directoryEntry = 25
  /// The user of an entry in the directory service.
  case directoryUser = 26
  /// The hosts that have reported the entry of a user in the directory service.
  case directoryReports = 27
  /// The offline recovery codes of a user.
  case offlineCodes = 32
  /// How far the offline queue of a host was reported.
  case offlineQueue = 33
  /// What a host may keep about a user.
  case offlinePermit = 34
  /// What /etc/mfa/identity says about the local store.
  case storeIdentity = 35
}
