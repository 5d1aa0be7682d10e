import MFABase
import MFAModel

/// Returns an id of sixteen equal bytes.
func identifier(_ byte: UInt8) -> FactorID {
  FactorID(bytes: [UInt8](repeating: byte, count: FactorID.length)) ?? .zero
}

/// Returns a display name.
func name(_ text: String) throws(DisplayName.Refusal) -> DisplayName {
  try DisplayName(Array(text.utf8))
}

/// Returns a factor with a name that contains its number.
func factor(
  _ number: UInt8, parameters: TOTPParameters = .standard, sealedSecret: [UInt8] = [1, 2, 3],
  enrolledAt: Int64 = 1_795_000_000
) throws(DisplayName.Refusal) -> Factor {
  Factor(
    id: identifier(number), displayName: try name("phone \(number)"), enrolledAt: enrolledAt,
    kind: .totp(parameters, sealedSecret: sealedSecret))
}

/// Returns a phone with a name that contains its number.
func phone(
  _ number: UInt8, _ text: String, usableFrom: Int64 = 0, origin: Factor.Origin = .enrolled
) throws -> Factor {
  let masked = try PhoneNumber(typed: Array(text.utf8).span).masked
  return Factor(
    id: identifier(number), displayName: try name("phone \(number)"), enrolledAt: 1_795_000_000,
    kind: .phone(masked, usableFrom: usableFrom, sealedNumber: [4, 5, 6]), origin: origin)
}

/// Returns a record of alice with `count` factors, numbered from 1.
func record(_ count: UInt8, user: String = "alice", uid: UInt32 = 1_000) throws -> FactorRecord {
  let user = try UserName(Array(user.utf8)).orThrow()
  var record = FactorRecord(user: user, uid: uid, id: identifier(0xEE))
  for number in 0..<count { try record.add(try factor(number + 1)) }
  return record
}

/// The error of unwrapping nil.
struct Missing: Error {}

extension Optional {
  func orThrow() throws(Missing) -> Wrapped {
    guard let self else { throw Missing() }
    return self
  }
}

/// Returns the reason why a record is refused, or nil if it is accepted.
func refusal(of encoded: [UInt8]) -> FactorRecord.Refusal? {
  do throws(FactorRecord.Refusal) {
    _ = try FactorRecord(encoded: encoded.span)
    return nil
  } catch {
    return error
  }
}

/// Returns the decoded record, or nil if it is refused.
func decoded(_ encoded: [UInt8]) -> FactorRecord? {
  do throws(FactorRecord.Refusal) {
    return try FactorRecord(encoded: encoded.span)
  } catch {
    return nil
  }
}

/// Returns the decoded attempt state, or nil if it is refused.
func decodedState(_ encoded: [UInt8]) -> (state: AttemptState, sequence: UInt64)? {
  AttemptState.decode(encoded.span)
}
