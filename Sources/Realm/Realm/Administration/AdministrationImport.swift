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
}

// The encoding of imports in requests and replies.
extension PacketWriter {
  mutating func field(_ user: AdministrationImport) {
    field(user.user)
    field(user.record)
    field(user.attempts)
    let secrets = user.secrets.withSpan { SecretBytes(copying: $0) }
    field(secrets.span)
    field(UInt8(clamping: user.earlierFactors.count))
    for id in user.earlierFactors { field(id) }
    field(user.hadRecoveryCodes)
    field(user.hadAttempts)
    field(user.choice.rawValue)
    field(user.isTrial)
    field(user.number)
  }

  mutating func field(_ undo: AdministrationUndo) {
    field(undo.user)
    field(undo.imported.factors)
    field(undo.imported.recoveryCodes)
    field(undo.isTrial)
    field(undo.number)
  }

  mutating func field(_ factors: [FactorImport]) {
    field(UInt8(clamping: factors.count))
    for factor in factors {
      field(factor.id.bytes)
      field(factor.result.rawValue)
      field(factor.mark)
    }
  }
}

extension PacketReader {
  /// The longest digest in bytes.
  private static var longestMark: Int { 32 }
  /// The longest list of secrets in bytes.
  private static var longestSecrets: Int { 2048 }

  @_lifetime(self: copy self)
  mutating func userImport(named user: [UInt8]) throws(PacketError) -> AdministrationImport {
    let record = try bytes(longest: AdministrationImport.longestRecord)
    let attempts = try bytes(longest: AdministrationImport.longestAttempts)
    guard let secrets = SecretList(try secret(longest: Self.longestSecrets)) else {
      throw .malformed
    }
    let count = Int(try number(UInt8.self))
    guard count <= AdministrationImport.mostEarlierFactors else { throw .malformed }
    var earlier: [[UInt8]] = []
    for _ in 0..<count { earlier.append(try identifier()) }
    let (hadRecoveryCodes, hadAttempts) = (try flag(), try flag())
    guard let choice = ConflictChoice(rawValue: try number(UInt8.self)) else { throw .malformed }
    let isTrial = try flag()
    var user = AdministrationImport(
      user: user, record: record, attempts: attempts, secrets: secrets, number: try identifier())
    user.earlierFactors = earlier
    user.hadRecoveryCodes = hadRecoveryCodes
    user.hadAttempts = hadAttempts
    user.choice = choice
    user.isTrial = isTrial
    return user
  }

  @_lifetime(self: copy self)
  mutating func importUndo(named user: [UInt8]) throws(PacketError) -> AdministrationUndo {
    let factors = try factorImports()
    let marks = ImportUndo.Marks(
      factors: factors, recoveryCodes: try bytes(longest: Self.longestMark))
    let isTrial = try flag()
    return AdministrationUndo(
      user: user, imported: marks, isTrial: isTrial, number: try identifier())
  }

  @_lifetime(self: copy self)
  mutating func factorImports() throws(PacketError) -> [FactorImport] {
    let count = Int(try number(UInt8.self))
    guard count <= AdministrationImport.mostEarlierFactors else { throw .malformed }
    var factors: [FactorImport] = []
    for _ in 0..<count {
      guard let id = FactorID(bytes: try identifier()),
        let result = FactorImport.Result(rawValue: try number(UInt8.self))
      else { throw .malformed }
      factors.append(FactorImport(id, result, mark: try bytes(longest: Self.longestMark)))
    }
    return factors
  }

  @_lifetime(self: copy self)
  mutating func administeredImport() throws(PacketError) -> AdministeredImport {
    let factors = try factorImports()
    guard let codes = RecoveryCodeImport(rawValue: try number(UInt8.self)) else {
      throw .malformed
    }
    let mark = try bytes(longest: Self.longestMark)
    let (before, failures) = (try number(UInt32.self), try number(UInt32.self))
    return AdministeredImport(
      factors: factors, recoveryCodes: codes, recoveryCodeMark: mark, failuresBefore: before,
      failures: failures, checkpoint: try bytes())
  }

  /// Reads an id, or the number of an import.
  @_lifetime(self: copy self)
  private mutating func identifier() throws(PacketError) -> [UInt8] {
    let bytes = try bytes(longest: AdministrationImport.idLength)
    guard bytes.count == AdministrationImport.idLength else { throw .malformed }
    return bytes
  }
}
