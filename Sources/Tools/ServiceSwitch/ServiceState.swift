import MFAAdminOutput
import MFAPAMStack

/// The state of a service: whether it asks for a code, and why.
package enum ServiceState: Equatable {
  /// The service asks for a code because of the line at this place, which `mfa-admin enable` wrote.
  /// `with` is the service that was enabled, if it is another one: sudo for sudo-i.
  case on(String, with: String?)
  /// Like `on`, but the change is rolled back unless it is confirmed before `until`, in seconds
  /// since the epoch.
  case pending(String, with: String?, until: Int64)
  /// The service asks for a code because of a line that `mfa-admin enable` did not write.
  case byHand(String)
  /// The service was enabled and confirmed, but does not ask for a code any more. The value is the
  /// path of the file that has lost the lines, or that is gone.
  case lost(String)
  /// The service does not ask for a code.
  case off
  /// The state cannot be determined. The value is the reason.
  case unknown(String)

  /// Determines the state of a service.
  package init(_ service: [UInt8], journal: ChangeJournal) {
    self.init(service, journal, recorded: Self.recordedPaths(journal))
  }

  /// Determines the state of a service. `recorded` are the files to which confirmed changes wrote.
  private init(_ service: [UInt8], _ journal: ChangeJournal, recorded: [String]) {
    do throws(StackRefusal) {
      let stacks = InstalledStacks()
      guard let line = try StackProof.line(of: service, in: stacks) else {
        let path = ServicePlan.path(of: service)
        self = recorded.contains(path) ? .lost(path) : .off
        return
      }
      self = Self.state(service, line, journal)
    } catch {
      self = .unknown(StackProof.Obstacle.unknown(error).sentence)
    }
  }

  /// Returns the service files to which confirmed changes wrote, or an empty array if a record cannot
  /// be read.
  private static func recordedPaths(_ journal: ChangeJournal) -> [String] {
    do throws(ChangeError) {
      var paths: [String] = []
      for entry in try journal.confirmed() { paths += try entry.get().files.map(\.path) }
      return paths.filter { $0 != SecureShellDropIn.path }
    } catch {
      return []
    }
  }

  private static func state(
    _ service: [UInt8], _ line: StackPosition, _ journal: ChangeJournal
  ) -> ServiceState {
    let place = VisibleText.escaping(line.text)
    do throws(ChangeError) {
      let path = String(decoding: line.file, as: UTF8.self)
      guard let file = try SystemFile.read(path),
        let marked = MarkedText.services(in: file.contents).first
      else { return .byHand(place) }
      let with = marked == service ? nil : VisibleText.escaping(marked)
      for entry in try journal.pending() {
        guard case .success(let change) = entry, change.service == marked,
          let deadline = change.deadline
        else { continue }
        return .pending(place, with: with, until: deadline.time)
      }
      return .on(place, with: with)
    } catch {
      return .unknown(error.message)
    }
  }

  /// Returns all services that have a file, sorted by name.
  package static func all(
    journal: ChangeJournal
  ) throws(ChangeError) -> [(name: String, state: ServiceState)] {
    do throws(StackRefusal) {
      // A service may have lost its file.
      let paths = recordedPaths(journal)
      let recorded = paths.compactMap { $0.split(separator: "/").last.map { Array($0.utf8) } }
      let present = try InstalledStacks().services()
      let names = present + recorded.filter { !present.contains($0) }
      return names.sorted { $0.lexicographicallyPrecedes($1) }
        .filter { !ServicePlan.isFragment($0) }
        .map { (VisibleText.escaping($0), ServiceState($0, journal, recorded: paths)) }
    } catch {
      throw .stack(
        service: "services", file: VisibleText.escaping(error.place), .unknown(error))
    }
  }

  /// The state in words.
  package var sentence: String {
    switch self {
    case .on(let place, let with): "on\(Self.suffix(with)): \(place)"
    case .pending(let place, let with, let until):
      "on\(Self.suffix(with)), rolled back unless confirmed before "
        + "\(Timestamp(until)?.full ?? "then"): \(place)"
    case .byHand(let place): "on, configured by hand: \(place)"
    case .lost(let path):
      "LOST: enabled, but \(path) has no line of pam_mfa.so any more: see mfa-admin doctor"
    case .off: "off"
    case .unknown(let reason): "unknown: \(reason)"
    }
  }

  private static func suffix(_ with: String?) -> String { with.map { " with \($0)" } ?? "" }

  /// The members of the JSON object for the state.
  package var members: [(name: String, value: JSON)] {
    switch self {
    case .on(let place, let with):
      [("state", .string("on")), ("place", .string(place)), ("enabledWith", JSON(with))]
    case .pending(let place, let with, let until):
      [
        ("state", .string("pending")), ("place", .string(place)), ("enabledWith", JSON(with)),
        ("until", JSON(Timestamp(until)?.iso8601)),
      ]
    case .byHand(let place): [("state", .string("by-hand")), ("place", .string(place))]
    case .lost(let path): [("state", .string("lost")), ("place", .string(path))]
    case .off: [("state", .string("off"))]
    case .unknown(let reason): [("state", .string("unknown")), ("reason", .string(reason))]
    }
  }
}
