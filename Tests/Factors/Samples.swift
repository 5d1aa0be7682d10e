import Factors
import OneTimePassword
import Secrets

/// An id of sixteen times the same byte.
func identifier(_ byte: UInt8) -> FactorID {
  FactorID(bytes: [UInt8](repeating: byte, count: FactorID.length)) ?? .zero
}

/// A name that is one.
func name(_ text: String) throws(DisplayName.Refusal) -> DisplayName {
  try DisplayName(Array(text.utf8))
}

/// A factor that is named after its number.
func factor(
  _ number: UInt8, parameters: TOTPParameters = .standard, sealedSecret: [UInt8] = [1, 2, 3],
  enrolledAt: Int64 = 1_795_000_000
) throws(DisplayName.Refusal) -> Factor {
  Factor(
    id: identifier(number), displayName: try name("phone \(number)"), enrolledAt: enrolledAt,
    kind: .totp(parameters, sealedSecret: sealedSecret))
}

/// A record of alice's with `count` factors, numbered from 1.
func record(_ count: UInt8, user: String = "alice", uid: UInt32 = 1_000) throws -> FactorRecord {
  let user = try UserName(Array(user.utf8)).orThrow()
  var record = FactorRecord(user: user, uid: uid, id: identifier(0xEE))
  for number in 0..<count { try record.add(try factor(number + 1)) }
  return record
}

/// There is none.
struct Missing: Error {}

extension Optional {
  func orThrow() throws(Missing) -> Wrapped {
    guard let self else { throw Missing() }
    return self
  }
}

/// Why a record is refused; nil when it is not.
func refusal(of encoded: [UInt8]) -> FactorRecord.Refusal? {
  do throws(FactorRecord.Refusal) {
    _ = try FactorRecord(encoded: encoded.span)
    return nil
  } catch {
    return error
  }
}

/// What a record says; nil when it is refused.
func decoded(_ encoded: [UInt8]) -> FactorRecord? {
  do throws(FactorRecord.Refusal) {
    return try FactorRecord(encoded: encoded.span)
  } catch {
    return nil
  }
}

/// What a state says; nil when it is refused.
func decodedState(_ encoded: [UInt8]) -> (state: AttemptState, sequence: UInt64)? {
  AttemptState.decode(encoded.span)
}
