import MFAStore
import MFAModel
import MFABase
import MFADecider
import MFAWire
import MFASignInTestSupport
import Testing

/// The events that end a helper session.
@Suite("The helper's session")
struct SessionTests: ScriptedConversations {
  let host = ScriptedHost()

  private func run(_ script: [Line]) throws -> [ScriptedClient.Heard] {
    try run(script) { try host.converse(with: $0) }.heard
  }

  /// Returns the request, sent after `change`.
  private func after(_ change: @escaping () throws -> Void, _ line: @escaping Line) -> Line {
    { client in
      try change()
      return try line(client)
    }
  }

  private func rename(_ id: FactorID, to name: String = "New") throws -> Line {
    let name = try #require(DisplayName(Array(name.utf8)))
    return { _ in try HelperRequestBox(.rename(factor: id, displayName: name)) }
  }

  /// Changes the record as a different process would, with an audit log entry.
  private func change(_ body: (inout FactorRecord) throws -> Void) throws {
    let account = try #require(host.account)
    let entry = try host.memory.entry(of: account, creating: false)
    var record = try #require(entry.kept)
    try body(&record)
    _ = try entry.replace(
      record: record, attempts: entry.attempts,
      entering: AuditLogEvent(
        .revoked,
        by: AuditLogEvent.Actor(
          name: Array("root".utf8), uid: 0, program: Array("tests".utf8), source: .unknown), at: 0))
  }

  @Test("the code of a factor that is enrolled while the session begins is required")
  func enrolledBetweenReadings() throws {
    let account = try #require(host.account)
    var readings = 0
    host.memory.afterReading = { [host] in
      readings += 1
      guard readings == 1 else { return }
      do {
        _ = try host.memory.enroll("Phone", secret: KnownFactor.secret, for: account)
      } catch {
        Issue.record("\(error)")
      }
    }
    let heard = try run([session, answer("right"), answer(""), generate])
    #expect(heard.last == .failed(.secondFactorRequired), "\(heard)")
  }

  @Test(
    "a session ends with any change of the record that it did not make",
    arguments: [
      // Row, the change by a different process.
      (1, "revokes everything"), (2, "revokes the factor and enrols it again"), (3, "unlocks"),
      (4, "enrols another factor"), (5, "renames it"), (6, "makes recovery codes"),
    ])
  func changedMeanwhile(row: Int, what: String) throws {
    let old = try enrollKnown()
    let record = try #require(host.memory.record)
    let another = try host.enroll("Other", secret: Array("another secret of 20".utf8))
    host.memory.record = record
    let meanwhile = {
      try self.change { record in
        switch row {
        case 1: record.removeEverything()
        case 2:
          _ = try record.remove(old.id)
          try record.add(old)
        case 4: try record.add(another)
        case 5: try record.rename(old.id, to: try #require(DisplayName(Array("Renamed".utf8))))
        case _: break
        }
      }
    }
    let start = [session, answer("right"), answer(try host.code())]
    for (number, request) in [try rename(old.id), makeCodes].enumerated() {
      host.memory.record = record
      host.memory.attempts = AttemptState(record: record.id).adding(old.id, confirmedAt: -1)
      let heard = try run(start + [after(meanwhile, request)])
      // Without a factor there is nothing to rename, and no session is required.
      let expected: HelperFailure = row == 1 ? .factorNotFound : .requiresRecentLogin
      #expect(heard.last == .failed(expected), "row \(row): \(what), request \(number)")
    }
    host.memory.record = record
    host.memory.attempts = AttemptState(record: record.id).adding(old.id, confirmedAt: -1)
    let heard = try run(start + [generate, enroll("New", meanwhile: meanwhile)])
    #expect(heard.last == .failed(.requiresRecentLogin), "row \(row): \(what)")
  }

  @Test("a session from before the first factor ends when that factor is revoked")
  func revokedFirstFactor() throws {
    let heard = try run([
      session, answer("right"), generate,
      enroll("Mine") {
        _ = try self.enrollKnown()
        try self.change { record in
          record.removeEverything()
          record.note(.revoked, about: .account, from: .unknown, at: 0)
        }
      },
    ])
    #expect(heard.last == .failed(.requiresRecentLogin))
    #expect(host.memory.record?.isEnrolled == false)
  }

  @Test("the deadline is checked again after waiting for the user's lock")
  func deadlineUnderTheLock() throws {
    let old = try enrollKnown()
    let start = [session, answer("right"), answer(try host.code())]
    let slow = {
      var calls = 0
      self.host.memory.beforeLock = {
        calls += 1
        if calls == 1 { self.host.time += 601 }
      }
    }
    let heard = try run(start + [after(slow, try rename(old.id))])
    #expect(heard.last == .failed(.sessionExpired))
  }

  @Test("a session continues after its own changes")
  func ownChanges() throws {
    let old = try enrollKnown()
    let heard = try run([
      session, answer("right"), answer(try host.code()), generate,
      enroll("Second"), try rename(old.id, to: "First"), makeCodes, makeCodes,
      { _ in try HelperRequestBox(.unenroll(factor: old.id)) }, makeCodes,
    ])
    #expect(
      heard.suffix(7) == [
        .secret, .enrolled, .done, .recoveryCodes(10), .recoveryCodes(10),
        .unenrolled(signedOut: false), .recoveryCodes(10),
      ])
  }

  @Test("using a recovery code to start a session counts as the session's own change")
  func recoveryCodeProves() throws {
    let old = try enrollKnown()
    let code: [UInt8] = Array("0123456789".utf8)
    try host.memory.keep(recoveryCodes: [(code, .generated)])
    let heard = try run([
      session, answer("right"), answer("gayt-emzu-gu3d-oobz"), try rename(old.id),
      try rename(old.id, to: "Again"),
    ])
    #expect(heard.suffix(3) == [.sessionStarted(600), .done, .done])
  }

  @Test("a user can make at most thirty changes an hour, of any kind")
  func changesOfAnHour() throws {
    let old = try enrollKnown()
    var lines: [Line] = [
      session, answer("right"), answer(try host.code()),
    ]
    for number in 1...30 { lines.append(try rename(old.id, to: "Name \(number)")) }
    let heard = try run(
      lines + [
        try rename(old.id, to: "One more"), makeCodes,
        { _ in try HelperRequestBox(.unenroll(factor: old.id)) }, generate, enroll("More"),
      ])
    let left = HelperFailure.tooManyChanges(seconds: UInt32(3600 - host.time % 3600))
    #expect(heard.filter { $0 == .done }.count == 30)
    #expect(
      heard.suffix(5) == [.failed(left), .failed(left), .failed(left), .secret, .failed(left)])
    host.time += 3600
    let later = try run([
      session, answer("right"), answer(try host.code()),
      try rename(old.id, to: "Later"),
    ])
    #expect(later.last == .done)
  }
}
