import MFABase
import MFAModel
import MFAWire

/// What a host sends about one user of its local store, to be imported into the realm.
package struct AdministrationImport: Equatable, Sendable {
  /// The name of the user.
  package var user: [UInt8]
  /// The binary form of the record. Its secrets are empty, and it has no grants and no notices.
  package var record: [UInt8]
  /// The binary form of the attempt state, without the zeros at its end.
  package var attempts: [UInt8]
  /// The secret or phone number of each factor of the record, in its order, and then the keys of its recovery
  /// codes if it has any.
  package var secrets: SecretList
  /// The ids of the factors that the realm had after an earlier import.
  package var earlierFactors: [[UInt8]] = []
  /// Whether an earlier import has decided about the recovery codes.
  package var hadRecoveryCodes = false
  /// Whether an earlier import has counted the failed attempts.
  package var hadAttempts = false
  /// What happens if host and realm differ.
  package var choice = ConflictChoice.undecided
  /// Whether only to report what would happen.
  package var isTrial = true
  /// The number of the import, which its entries in the audit log have.
  package var number: [UInt8]

  /// The longest record in bytes.
  package static let longestRecord = 10_240
  /// The longest attempt state in bytes.
  package static let longestAttempts = 640
  /// The longest list of secrets in bytes.
  private static var longestSecrets: Int { 2048 }
  /// The largest number of earlier factors.
  package static let mostEarlierFactors = 64
  /// The length of an id, and of the number of an import, in bytes.
  package static let idLength = 16

  /// Creates a trial of an import.
  package init(
    user: [UInt8], record: [UInt8], attempts: [UInt8], secrets: SecretList, number: [UInt8]
  ) {
    self.user = user
    self.record = record
    self.attempts = attempts
    self.secrets = secrets
    self.number = number
  }

  /// A value whose fields are read next.
  static var placeholder: AdministrationImport {
    AdministrationImport(user: [], record: [], attempts: [], secrets: .empty, number: [])
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.name(&user)
    try coder.bytes(&record, longest: Self.longestRecord)
    try coder.bytes(&attempts, longest: Self.longestAttempts)
    var bytes = secrets.withSpan { SecretBytes(copying: $0) }
    try coder.secret(&bytes, longest: Self.longestSecrets)
    guard let secrets = SecretList(bytes) else { throw .malformed }
    self.secrets = secrets
    let most = UInt8(Self.mostEarlierFactors)
    try coder.list(&earlierFactors, most: most, placeholder: []) {
      (id: inout [UInt8], coder: inout Coder) throws(PacketError) in
      try coder.bytes(&id, exactly: Self.idLength)
    }
    try coder.flag(&hadRecoveryCodes)
    try coder.flag(&hadAttempts)
    try coder.choice(&choice)
    try coder.flag(&isTrial)
    try coder.bytes(&number, exactly: Self.idLength)
  }
}

/// What a host has imported for one user, to be removed from the realm.
package struct AdministrationUndo: Equatable, Sendable {
  /// The name of the user.
  package var user: [UInt8]
  /// The digests of what was imported.
  package var imported: ImportUndo.Marks
  /// Whether only to report what would happen.
  package var isTrial: Bool
  /// The number of the import.
  package var number: [UInt8]

  /// Creates a value.
  package init(user: [UInt8], imported: ImportUndo.Marks, isTrial: Bool, number: [UInt8]) {
    self.user = user
    self.imported = imported
    self.isTrial = isTrial
    self.number = number
  }

  /// A value whose fields are read next.
  static var placeholder: AdministrationUndo {
    AdministrationUndo(
      user: [], imported: ImportUndo.Marks(factors: [], recoveryCodes: []), isTrial: true,
      number: [])
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.name(&user)
    try FactorImport.list(&imported.factors, &coder)
    try coder.bytes(&imported.recoveryCodes, longest: FactorImport.longestMark)
    try coder.flag(&isTrial)
    try coder.bytes(&number, exactly: AdministrationImport.idLength)
  }
}

/// What an import, or its undo, does with one user.
package struct AdministeredImport: Equatable, Sendable {
  /// The results for the factors of the host, with digests of the factors that the realm has afterwards.
  package var factors: [FactorImport]
  /// The result for the recovery codes.
  package var recoveryCodes: RecoveryCodeImport
  /// A digest of the recovery codes that the realm has afterwards; empty if it has none.
  package var recoveryCodeMark: [UInt8]
  /// The failed attempts that the realm counts before.
  package var failuresBefore: UInt32
  /// The failed attempts that the realm counts afterwards.
  package var failures: UInt32
  /// The checkpoint of the entry in the audit log; empty if nothing was changed.
  package var checkpoint: [UInt8]

  /// Creates a value.
  package init(
    factors: [FactorImport], recoveryCodes: RecoveryCodeImport, recoveryCodeMark: [UInt8],
    failuresBefore: UInt32, failures: UInt32, checkpoint: [UInt8]
  ) {
    self.factors = factors
    self.recoveryCodes = recoveryCodes
    self.recoveryCodeMark = recoveryCodeMark
    self.failuresBefore = failuresBefore
    self.failures = failures
    self.checkpoint = checkpoint
  }

  /// A value whose fields are read next.
  static var placeholder: AdministeredImport {
    AdministeredImport(
      factors: [], recoveryCodes: .noCodes, recoveryCodeMark: [], failuresBefore: 0, failures: 0,
      checkpoint: [])
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try FactorImport.list(&factors, &coder)
    try coder.choice(&recoveryCodes)
    try coder.bytes(&recoveryCodeMark, longest: FactorImport.longestMark)
    try coder.number(&failuresBefore)
    try coder.number(&failures)
    try coder.bytes(&checkpoint)
  }
}
