import MFAModel
import MFARealm
import Testing

/// The rules of `mfa-admin realm import`, without a store.
@Suite("Merging a host's user into a realm")
struct UserImportTests {
  // MARK: A user whom the realm does not know

  @Test("a new user gets all factors, with the time steps and failures of the host")
  func newUser() throws {
    let merged = try userImport([try factor(1), try factor(2)], failures: 3, lastFailure: 99)
      .merged(try present([]))
    #expect(merged.results == [.added, .added])
    #expect(merged.isChange)
    #expect(merged.names == ["phone 1", "phone 2"])
    #expect(merged.record.id == identifier(0xEE) && merged.record.uid == .max)
    #expect(merged.attempts.record == identifier(0xEE))
    #expect(merged.attempts.failures == 3 && merged.attempts.lastFailure == 99)
    #expect(merged.attempts.unreported.failures == 3)
    #expect(merged.attempts.watermark(of: identifier(1)) == 100)
    #expect(merged.record.notices.map(\.kind) == [.imported, .imported])
  }

  @Test("a factor whose used codes are unknown stays without a watermark, and accepts no code")
  func missingWatermark() throws {
    var host = try userImport([try factor(1)])
    host = UserImport(record: host.record, attempts: AttemptState(record: host.record.id))
    let merged = host.merged(try present([]))
    #expect(merged.results == [.added])
    #expect(merged.attempts.watermarks.isEmpty)
  }

  @Test("grants and notices of the host are not imported")
  func grantsStay() throws {
    var host = try record([try factor(1)], id: 0xAA)
    #expect(host.add(try #require(grant())))
    host.note(.enrolled, about: .account, from: .unknown, at: now)
    let merged = UserImport(record: host, attempts: attempts(of: host, step: 1))
      .merged(try present([]))
    #expect(merged.record.grants.isEmpty)
    #expect(merged.record.notices.map(\.kind) == [.imported])
  }

  // MARK: Used codes and failures

  @Test("the later time step counts, on either side", arguments: [(100, 50, 100), (50, 100, 100)])
  func usedCodes(here: Int64, there: Int64, result: Int64) throws {
    let merged = try userImport([try factor(1)], step: here)
      .merged(try present([try factor(1)], step: there))
    #expect(merged.results == [.present])
    #expect(merged.attempts.watermark(of: identifier(1)) == result)
    #expect(merged.isChange == (here > there))
  }

  @Test("a used code of the same key in another factor counts, converted to its period")
  func usedCodesOfTwin() throws {
    let twins = [UserImport.Twins(imported: identifier(1), present: identifier(9))]
    let merged = try userImport([try factor(1, period: 30)], step: 100)
      .merged(try present([try factor(9, period: 60)], step: 7, isSameKey: false, twins: twins))
    #expect(merged.results == [.present])
    #expect(merged.names == ["phone 9"])
    // Step 100 ends after 3,030 seconds, in the step 50 of 60 seconds.
    #expect(merged.attempts.watermark(of: identifier(9)) == 50)
  }

  @Test("a watermark that the realm has lost is not restored: the factor accepts no code")
  func lostWatermark() throws {
    let stored = try record([try factor(1)])
    let merged = try userImport([try factor(1)], step: 100).merged(
      UserImport.Present(
        record: stored, attempts: AttemptState(record: stored.id),
        twins: [UserImport.Twins(imported: identifier(1), present: identifier(1))]))
    #expect(merged.attempts.watermarks.isEmpty)
  }

  @Test(
    "the larger number of failures counts",
    arguments: [(5, 2, 5), (2, 5, 5)] as [(UInt32, UInt32, UInt32)])
  func failures(here: UInt32, there: UInt32, result: UInt32) throws {
    let merged = try userImport([try factor(1)], step: 50, failures: here, lastFailure: 7)
      .merged(try present([try factor(1)], failures: there))
    #expect(merged.attempts.failures == result)
    #expect(merged.attempts.unreported.failures == result)
    #expect(merged.isChange)
  }

  @Test("failures that were imported before are not counted after an unlock")
  func failuresOnce() throws {
    var host = try userImport([try factor(1)], step: 50, failures: 100, lastFailure: 7)
    host.hadAttempts = true
    let merged = host.merged(try present([try factor(1)]))
    #expect(merged.attempts.failures == 0)
    #expect(!merged.isChange)
  }

  @Test("importing again changes nothing")
  func again() throws {
    let host = try userImport([try factor(1)], failures: 2, lastFailure: 5)
    let first = host.merged(try present([]))
    let second = host.merged(
      UserImport.Present(
        record: first.record, attempts: first.attempts,
        twins: [UserImport.Twins(imported: identifier(1), present: identifier(1))]))
    #expect(second.results == [.present])
    #expect(!second.isChange)
    #expect(second.record == first.record && second.attempts == first.attempts)
  }

  // MARK: Revoked since

  @Test("a factor that was imported before, and that the realm has not any more, is not added")
  func revokedSince() throws {
    var host = try userImport([try factor(1)], failures: 9, lastFailure: 7)
    host.earlierFactors = [identifier(1)]
    for choice in ConflictChoice.allCases {
      host.choice = choice
      for there in [try present([]), try present([try factor(5)])] {
        let merged = host.merged(there)
        #expect(merged.results == [.revoked])
        #expect(!merged.isChange)
        #expect(merged.record == there.record && merged.attempts == there.attempts)
      }
    }
  }

  @Test("a factor that was renamed in the realm after the import is no conflict")
  func renamedSince() throws {
    var host = try userImport([try factor(1)])
    host.earlierFactors = [identifier(1)]
    let merged = host.merged(try present([try factor(1, name: "tablet")]))
    #expect(merged.results == [.present])
    #expect(merged.names == ["tablet"])
  }

  // MARK: Conflicts

  /// A host that differs from its realm in one of the possible ways, and what it has in common.
  static let conflicts: [(FactorImport.Result, UserImport, UserImport.Present)] = {
    do {
      return [
        // The same id with another key, and with another name.
        (
          .otherContent, try userImport([try factor(1)]),
          try present([try factor(1)], isSameKey: false)
        ),
        (
          .otherContent, try userImport([try factor(1)]),
          try present([try factor(1, name: "tablet")])
        ),
        // Another factor with the same name.
        (
          .sameName, try userImport([try factor(2), try factor(1, name: "phone")]),
          try present([try factor(2), try factor(3, name: "phone")])
        ),
        // No factor in common.
        (.otherFactors, try userImport([try factor(1)]), try present([try factor(3)])),
      ]
    } catch {
      return []
    }
  }()

  @Test("a conflict that is not decided changes nothing")
  func conflictsChangeNothing() throws {
    #expect(Self.conflicts.count == 4)
    for (result, host, there) in Self.conflicts {
      let merged = host.merged(there)
      #expect(merged.results.last == result)
      #expect(!merged.isChange)
      #expect(merged.record == there.record && merged.attempts == there.attempts)
    }
  }

  @Test("keep leaves what the realm has")
  func keep() throws {
    for (_, host, there) in Self.conflicts {
      var host = host
      host.choice = .keep
      let merged = host.merged(there)
      #expect(merged.results.last == .kept)
      #expect(merged.record == there.record)
    }
  }

  @Test("keep imports the factors that are no conflict, and the used codes")
  func keepOthers() throws {
    var host = try userImport([try factor(1), try factor(2), try factor(4, name: "phone 3")])
    host.choice = .keep
    let merged = host.merged(
      try present([try factor(1), try factor(2, name: "tablet"), try factor(3)]))
    #expect(merged.results == [.present, .kept, .kept])
    #expect(merged.attempts.watermark(of: identifier(2)) == 100)
  }

  @Test("take puts what the host has in the place of what the realm has")
  func take() throws {
    for (index, (_, host, there)) in Self.conflicts.enumerated() {
      var host = host
      host.choice = .take
      let merged = host.merged(there)
      #expect(merged.isChange)
      #expect(merged.results.last == (index < 3 ? .replaced : .added), "\(index)")
      let imported = host.record.factors.last
      #expect(merged.record.factors.last?.id == imported?.id)
      #expect(merged.record.factors.last?.displayName == imported?.displayName)
      #expect(merged.record.factors.last?.sealed == imported?.sealed)
      #expect(merged.record.factors.count == (index < 2 ? 1 : 2))
      #expect(merged.attempts.watermark(of: identifier(1)) == 100)
      #expect(merged.attempts.watermarks.count == merged.record.factors.count)
    }
  }

  @Test("take does not remove the recovery codes of the realm with its last factor")
  func takeKeepsRecoveryCodes() throws {
    var stored = try record([try factor(1)])
    stored.setRecoveryCodes(recoveryCodes(10), at: now)
    var host = try userImport([try factor(1)])
    host.choice = .take
    let merged = host.merged(
      UserImport.Present(record: stored, attempts: attempts(of: stored, step: 50), twins: []))
    #expect(merged.results == [.replaced])
    #expect(merged.record.recoveryCodes == stored.recoveryCodes)
  }

  @Test("take never removes a factor that the host has under another id")
  func takeSparesTwin() throws {
    var host = try userImport([try factor(1), try factor(2, name: "phone 9")])
    host.choice = .take
    let twins = [UserImport.Twins(imported: identifier(1), present: identifier(9))]
    let merged = host.merged(try present([try factor(9)], isSameKey: false, twins: twins))
    #expect(merged.results == [.present, .kept])
    #expect(merged.names == ["phone 9"])
  }

  @Test("factors for which there is no room are left out")
  func noRoom() throws {
    let there = try present((1...7).map { try factor($0) })
    let merged = try userImport([try factor(7), try factor(8), try factor(9)]).merged(there)
    #expect(merged.results == [.present, .added, .noRoom])
    #expect(merged.record.factors.count == FactorRecord.maximumFactors)
  }

  // MARK: Recovery codes

  private func hostWithCodes(_ factors: [Factor]) throws -> UserImport {
    var stored = try record(factors, id: 0xAA)
    stored.setRecoveryCodes(recoveryCodes(10), at: now)
    var host = UserImport(record: stored, attempts: attempts(of: stored, step: 1))
    host.sealedDigestKeys = [4, 5, 6]
    return host
  }

  @Test("recovery codes are imported with their keys if the realm has none")
  func recoveryCodesAdded() throws {
    let merged = try hostWithCodes([try factor(1)]).merged(try present([]))
    #expect(merged.recoveryCodes == .added)
    #expect(merged.record.recoveryCodes == recoveryCodes(10))
    #expect(merged.record.sealedDigestKeys == [4, 5, 6])
  }

  @Test("recovery codes of the realm stay")
  func recoveryCodesOfRealm() throws {
    var stored = try record([try factor(1)])
    stored.setRecoveryCodes(recoveryCodes(3, 9), at: now)
    for choice in ConflictChoice.allCases {
      var host = try hostWithCodes([try factor(1)])
      host.choice = choice
      let merged = host.merged(
        UserImport.Present(
          record: stored, attempts: attempts(of: stored, step: 50),
          twins: [UserImport.Twins(imported: identifier(1), present: identifier(1))]))
      #expect(merged.recoveryCodes == .present)
      #expect(merged.record.recoveryCodes == recoveryCodes(3, 9))
      #expect(merged.record.sealedDigestKeys == nil)
    }
  }

  @Test("recovery codes are not imported beside a bypass code, whose digest has another key")
  func recoveryCodesAndGrant() throws {
    var stored = try record([try factor(1)])
    #expect(stored.add(try #require(grant())))
    let merged = try hostWithCodes([try factor(1)]).merged(
      UserImport.Present(
        record: stored, attempts: attempts(of: stored, step: 50),
        twins: [UserImport.Twins(imported: identifier(1), present: identifier(1))]))
    #expect(merged.recoveryCodes == .grants)
    #expect(merged.record == stored)
  }

  @Test("recovery codes that were imported before are not imported again")
  func recoveryCodesOnce() throws {
    var host = try hostWithCodes([try factor(1)])
    host.hadRecoveryCodes = true
    let merged = host.merged(try present([try factor(1)]))
    #expect(merged.recoveryCodes == .earlier)
    #expect(merged.record.recoveryCodes.isEmpty)
  }

  @Test("recovery codes are not imported without a factor")
  func recoveryCodesAlone() throws {
    var host = try hostWithCodes([try factor(1)])
    host.earlierFactors = [identifier(1)]
    let merged = host.merged(try present([try factor(5)]))
    #expect(merged.recoveryCodes == .noCodes)
    #expect(merged.record.recoveryCodes.isEmpty)
  }
}
