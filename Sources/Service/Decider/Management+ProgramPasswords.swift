import MFAAttempt
import MFABase
import MFAModel
import MFAStore
import MFAWire

// Passwords for programs that cannot ask for a code.
extension Management {
  /// Makes a password for a program.
  mutating func makeProgramPassword(
    _ request: ProgramPasswordRequest, _ scope: ProgramScope, _ session: Session
  ) throws(HelperFailure) -> NewProgramPassword {
    guard let name = Grant.Reason(request.name.utf8) else { throw .invalidArgument }
    guard try snapshot() != nil else { throw .factorNotFound }
    var text = SecretBytes(count: 0)
    var summary: ProgramPasswordSummary?
    let committed = try deciding { () throws(HelperFailure) -> CommittedChange in
      let entry = try entry(creating: false, session)
      guard var record = entry.record else { throw .factorNotFound }
      let now = try now()
      record.removeExpiredGrants(at: now)
      guard record.programPassword(named: name) == nil else {
        throw .programPasswordRefused(.nameTaken)
      }
      let (end, overflow) = now.addingReportingOverflow(Int64(request.seconds))
      guard !overflow else { throw .invalidArgument }
      let new = try storing { () throws(FactorStoreError) in
        try Attempt.newProgramPassword(
          named: name, scope, of: record, entry, madeAt: now, expiresAt: end)
      }
      let grant = new.grant
      guard record.add(grant) else { throw .programPasswordRefused(.tooMany) }
      record.note(.programPasswordMade, name.utf8, about: .grant, from: source, at: now)
      text = new.password.written()
      summary = ProgramPasswordSummary(grant)
      let event = AuditLogEvent(.programPasswordMade, grant, by: actor, at: now)
      return try replace(entry, record, try countedChange(entry, at: now), entering: event)
    }
    state.session?.advance(to: committed.kept)
    logChange("program-password-made", nil, committed.checkpoint)
    deliverInBackground()
    guard let summary else { throw .internalError }
    return NewProgramPassword(summary, text: text)
  }

  /// Returns where the password is to be valid: in the services that were named, each of which must accept such
  /// passwords, or in all that do. Nothing is revealed but what policy accepts.
  func scope(of request: ProgramPasswordRequest) throws(HelperFailure) -> ProgramScope {
    guard ProgramPasswordRequest.durations.contains(request.seconds) else { throw .invalidArgument }
    let configuration = try configuration()
    let accepted = configuration.servicesForProgramPasswords.filter { service in
      settings(configuration, at: service).programPasswords.contains(service)
    }
    var services = request.services
    if services.isEmpty {
      // As many as a scope can name; the response says which.
      for service in accepted where services.count &+ service.count < ProgramScope.longestText {
        if !services.isEmpty { services.append(UInt8(ascii: " ")) }
        services += service
      }
      guard !services.isEmpty else { throw .programPasswordRefused(.notAccepted) }
    }
    guard let scope = ProgramScope(services: services, networks: request.networks) else {
      throw .invalidArgument
    }
    guard scope.services.allSatisfy({ accepted.contains($0) }) else {
      throw .programPasswordRefused(.notAccepted)
    }
    return scope
  }

  /// Returns the user's passwords for programs, also those whose time is over.
  func programPasswords() throws(HelperFailure) -> [ProgramPasswordSummary] {
    try snapshot()?.record.grants.compactMap { ProgramPasswordSummary($0) } ?? []
  }

  /// Removes a password for a program.
  mutating func removeProgramPassword(
    _ id: GrantID, _ session: Session
  ) throws(HelperFailure) {
    guard try snapshot() != nil else { throw .programPasswordRefused(.notFound) }
    let committed = try deciding { () throws(HelperFailure) -> CommittedChange in
      let entry = try entry(creating: false, session)
      guard var record = entry.record,
        let grant = record.grants.first(where: { $0.id == id && $0.kind == .programPassword }),
        record.withdraw(id) != nil
      else { throw .programPasswordRefused(.notFound) }
      let now = try now()
      let event = AuditLogEvent(.programPasswordRemoved, grant, by: actor, at: now)
      return try replace(entry, record, try countedChange(entry, at: now), entering: event)
    }
    state.session?.advance(to: committed.kept)
    logChange("program-password-removed", nil, committed.checkpoint)
  }
}
