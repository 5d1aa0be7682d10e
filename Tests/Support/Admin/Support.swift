import MFAAttempt
import MFABase
import MFAStore
import MFAModel
import MFAWire
import Foundation

@testable import MFAAdmin

/// A mistake in a table of test cases.
package struct TestMistake: Error {
  package let what: String

  package init(what: String) { self.what = what }
}

/// Returns a factor id that begins with these bytes and is filled up with `fill`.
package func id(_ start: UInt8..., fill: UInt8 = 0) throws -> FactorID {
  let bytes = start + [UInt8](repeating: fill, count: max(FactorID.length - start.count, 0))
  guard let id = FactorID(bytes: bytes) else { throw TestMistake(what: "id") }
  return id
}

package func userName(_ text: String) throws -> UserName {
  guard let name = UserName(Array(text.utf8)) else { throw TestMistake(what: text) }
  return name
}

package func factor(
  _ id: FactorID, _ name: String, enrolledAt: Int64 = 1_700_000_000,
  parameters: TOTPParameters = .standard, sealedSecret: [UInt8] = [1],
  origin: Factor.Origin = .enrolled
) throws -> Factor {
  guard let displayName = DisplayName(Array(name.utf8)) else { throw TestMistake(what: name) }
  return Factor(
    id: id, displayName: displayName, enrolledAt: enrolledAt,
    kind: .totp(parameters, sealedSecret: sealedSecret), origin: origin)
}

package func record(_ user: String, uid: UInt32 = 1000, _ factors: [Factor]) throws -> FactorRecord
{
  var record = FactorRecord(user: try userName(user), uid: uid, id: try id(0xEE))
  for factor in factors { try record.add(factor) }
  return record
}

package func report(
  _ user: String, _ factors: [Factor], failures: UInt32 = 0, own: UInt32 = 0,
  _ standing: AttemptState.Standing = .open
) throws -> UserReport {
  let record = try record(user, factors)
  let attempts = AttemptState(
    record: record.id, failures: failures, lastFailure: failures == 0 ? 0 : 1_700_000_100,
    watermarks: factors.map { AttemptState.Watermark(factor: $0.id, step: 56_666_667) },
    ownProcessFailures: FailureCount(failures: own, last: own == 0 ? 0 : 1_700_000_100))
  return UserReport(
    name: record.user.bytes,
    content: .usable(UserSummary(FactorSnapshot(record: record, attempts: attempts), standing)))
}

package func report(_ user: String, _ problem: RecordProblem) -> UserReport {
  UserReport(name: Array(user.utf8), content: .unusable(problem))
}

/// Returns the effect of a revocation of everything.
package func removal(
  _ factors: [Factor], grants: Int = 0, remembered: Int = 0
) -> UserChange.Removal {
  UserChange.Removal(
    factors: factors.map { FactorSummary($0) }, factorsLeft: 0, grants: grants,
    remembered: remembered, isOfEverything: true)
}

/// Returns the effect of a revocation of one factor.
package func removal(
  of factor: Factor, left: Int, remembered: Int
) -> UserChange.Removal {
  UserChange.Removal(
    factors: [FactorSummary(factor)], factorsLeft: left, grants: 0, remembered: remembered,
    isOfEverything: false)
}

/// Returns whether a text contains no control characters except line feeds.
package func isHarmless(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
}

/// Returns the error that `value` throws, or nil if it succeeds.
package func refusal<Value>(
  _ value: @autoclosure () throws(AdminError) -> Value
) -> AdminError? {
  do throws(AdminError) {
    _ = try value()
    return nil
  } catch {
    return error
  }
}
