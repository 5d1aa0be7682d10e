import MFAAdmin
import MFADoctor
import MFAPAMStack
import MFAStore

/// The state of a service: whether it asks for a code, and why.
package enum ServiceState: Equatable {
  /// The service asks for a code because of the line at this place, which `mfa-admin enable` wrote.
  /// `with` is the service that was enabled, if it is another one: sudo for sudo-i. A change that is
  /// pending is rolled back unless it is confirmed before `until`, in seconds since the epoch.
  case on(String, with: String?, until: Int64?)
  /// The service asks for a code because of a line that `mfa-admin enable` did not write.
  case byHand(String)
  /// The password alone signs users in, although the line at this place calls the module. The second value is the
  /// reason.
  case passwordAlone(String, reason: String)
  /// The program verifies passwords itself, and the `account` line at this place denies users of whom policy requires a
  /// code. A change that is pending is rolled back unless it is confirmed before `until`.
  case deniesEnrolled(String, until: Int64?)
  /// The service was enabled and confirmed, and a file has lost the lines, or is gone. The value is its
  /// path: the service's file, or sshd's drop-in.
  case lost(String)
  /// The service does not ask for a code.
  case off
  /// The state cannot be determined. The value is the reason.
  case unknown(String)

  /// Determines the state of a service.
  package init(_ service: [UInt8], journal: ChangeJournal) {
    self.init(service, journal, recorded: RecordedService.all())
  }

  /// The confirmed changes, or the reason why their records cannot be read.
  private typealias Records = Result<[RecordedService], AdminError>

  /// Determines the state of a service.
  private init(_ service: [UInt8], _ journal: ChangeJournal, recorded: Records) {
    do throws(StackRefusal) {
      let stacks = InstalledStacks()
      if let program = PAMProgram.with(service: service), program.verifiesPasswords,
        let line = try RequiredCodeLine(of: service, in: stacks)
      {
        self = Self.state(of: program, line.position, journal)
        return
      }
      guard let line = try StackProof.line(of: service, in: stacks) else {
        self = Self.withoutLine(ServicePlan.path(of: service), recorded)
        return
      }
      self =
        Self.stateOfDropIn(service, recorded)
        ?? Self.state(service, line, journal)
    } catch {
      self = .unknown(error.located)
    }
  }

  /// Returns the state of a service whose stack does not call the module.
  private static func withoutLine(_ path: String, _ recorded: Records) -> ServiceState {
    switch recorded {
    case .failure(let failure): .unknown(failure.sentence)
    case .success(let services):
      services.contains { $0.files.contains { $0.path == path } } ? .lost(path) : .off
    }
  }

  /// Returns the state of a service whose stack calls the module, if sshd's drop-in decides it: the
  /// change that wrote the drop-in is recorded, and the drop-in is no longer complete.
  private static func stateOfDropIn(
    _ service: [UInt8], _ recorded: Records
  ) -> ServiceState? {
    switch recorded {
    case .failure(let failure):
      return service == Array("sshd".utf8) ? .unknown(failure.sentence) : nil
    case .success(let services):
      let files = services.first { $0.name == service }?.files ?? []
      switch files.first(where: { $0.path == SecureShellDropIn.path })?.state {
      case nil, .complete: return nil
      case .unreadable(let reason): return .unknown(reason)
      case .gone, .withoutLines, .edited: return .lost(SecureShellDropIn.path)
      }
    }
  }

  /// Returns the state of a service whose program verifies passwords itself.
  private static func state(
    of program: PAMProgram, _ line: StackPosition, _ journal: ChangeJournal
  ) -> ServiceState {
    let place = VisibleText.escaping(line.text)
    do throws(AdminError) {
      if let obstacle = try program.obstacleToAccountLine(on: LocalExaminedHost()) {
        return .passwordAlone(place, reason: obstacle.reason)
      }
      let file = try SystemFile.read(String(decoding: line.file, as: UTF8.self))
      let marked = file.flatMap { MarkedText.services(in: $0.contents).first }
      guard let marked else { return .byHand(place) }
      return .deniesEnrolled(place, until: try journal.pending(marked)?.deadline?.time)
    } catch {
      return .unknown(error.message)
    }
  }

  private static func state(
    _ service: [UInt8], _ line: StackPosition, _ journal: ChangeJournal
  ) -> ServiceState {
    let place = VisibleText.escaping(line.text)
    do throws(AdminError) {
      if let alone = try PAMProgram.passwordAlone(at: service, on: LocalExaminedHost()) {
        return .passwordAlone(place, reason: alone.reason)
      }
      let path = String(decoding: line.file, as: UTF8.self)
      guard let file = try SystemFile.read(path),
        let marked = MarkedText.services(in: file.contents).first
      else { return .byHand(place) }
      let with = marked == service ? nil : VisibleText.escaping(marked)
      return .on(place, with: with, until: try journal.pending(marked)?.deadline?.time)
    } catch {
      return .unknown(error.message)
    }
  }

  /// Returns all services that have a file, sorted by name.
  package static func all(
    journal: ChangeJournal
  ) throws(AdminError) -> [(name: String, state: ServiceState)] {
    do throws(StackRefusal) {
      // A service may have lost its file.
      let records = RecordedService.all()
      var files: [RecordedService.File] = []
      if case .success(let services) = records { files = services.flatMap(\.files) }
      let recorded = files.map(\.path).filter { $0 != SecureShellDropIn.path }
        .compactMap { $0.split(separator: "/").last.map { Array($0.utf8) } }
      let present = try InstalledStacks().services()
      let names = present + recorded.filter { !present.contains($0) }
      return names.sorted { $0.lexicographicallyPrecedes($1) }
        .filter { !ServicePlan.isFragment($0) }
        .map { (VisibleText.escaping($0), ServiceState($0, journal, recorded: records)) }
    } catch {
      throw .stack(
        service: "services", file: VisibleText.escaping(error.place),
        reason: error.located)
    }
  }

  /// The state in words.
  package var sentence: String {
    switch self {
    case .on(let place, let with, let until):
      "on" + (with.map { " with \($0)" } ?? "")
        + Self.warning(until) + ": \(place)"
    case .deniesEnrolled(let place, let until):
      "denies users who have enrolled" + Self.warning(until) + ": \(place)"
    case .byHand(let place): "on, configured by hand: \(place)"
    case .passwordAlone(_, let reason): "the password alone signs users in: \(reason)"
    case .lost(SecureShellDropIn.path):
      "LOST: enabled, but \(SecureShellDropIn.path) has not all settings any more: see mfa-admin "
        + "doctor"
    case .lost(let path):
      "LOST: enabled, but \(path) has no line of pam_mfa.so any more: see mfa-admin doctor"
    case .off: "off"
    case .unknown(let reason): "unknown: \(reason)"
    }
  }

  private static func warning(_ until: Int64?) -> String {
    until.map { ", rolled back unless confirmed before \(Timestamp($0)?.full ?? "then")" } ?? ""
  }

  private static func members(_ until: Int64?) -> [(name: String, value: JSON)] {
    guard let until else { return [] }
    return [("until", JSON(Timestamp(until)?.iso8601))]
  }

  /// The members of the JSON object for the state.
  package var members: [(name: String, value: JSON)] {
    switch self {
    case .on(let place, let with, let until):
      [
        ("state", .string(until == nil ? "on" : "pending")), ("place", .string(place)),
        ("enabledWith", JSON(with)),
      ] + Self.members(until)
    case .byHand(let place): [("state", .string("by-hand")), ("place", .string(place))]
    case .passwordAlone(let place, let reason):
      [
        ("state", .string("password-alone")), ("place", .string(place)),
        ("reason", .string(reason)),
      ]
    case .deniesEnrolled(let place, let until):
      [
        ("state", .string(until == nil ? "denies-enrolled" : "pending")), ("place", .string(place)),
      ] + Self.members(until)
    case .lost(let path): [("state", .string("lost")), ("place", .string(path))]
    case .off: [("state", .string("off"))]
    case .unknown(let reason): [("state", .string("unknown")), ("reason", .string(reason))]
    }
  }
}

/// Records changes to services in the audit log.
package enum ServiceAuditLog {
  /// Records a change to a service before the change is made.
  package static func enter(
    _ kind: AuditLogEvent.Kind, _ service: [UInt8]
  ) throws(AdminError) -> AuditLogCheckpoint {
    try enter(kind, service, detail: [])
  }

  /// Records a decision of an administrator before it takes effect.
  static func enter(
    _ kind: AuditLogEvent.Kind, _ ids: [UInt8], detail: [UInt8]
  ) throws(AdminError) -> AuditLogCheckpoint {
    do throws(AdminError) {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      let event = AuditLogEvent(
        kind, ids: ids, detail: detail, by: administration.auditLogActor, at: administration.now)
      return try administration.onStore { () throws(FactorStoreError) in
        try administration.store.enter(event)
      }
    } catch {
      throw .unrecorded(error)
    }
  }
}

/// The service files with the contents of some of them replaced.
struct OverlaidStacks<Base: StackSource>: StackSource {
  /// The unchanged files.
  let base: Base
  /// The replaced files, by service name.
  private(set) var drafts: [[UInt8]: StackFile] = [:]
  /// Whether the service `other` exists.
  var hasOther = true

  init(_ base: Base) { self.base = base }

  /// Returns a copy in which a service has a different file.
  func replacing(_ name: [UInt8], with file: StackFile) -> OverlaidStacks {
    var copy = self
    copy.drafts[name] = file
    return copy
  }

  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile? {
    if let draft = drafts[name] { return draft }
    guard hasOther || name != Array("other".utf8) else { return nil }
    return try base.file(name)
  }
}
