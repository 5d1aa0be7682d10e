import MFAModel
import MFAWire
import MFABase

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
