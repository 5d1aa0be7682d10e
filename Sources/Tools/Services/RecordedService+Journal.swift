import MFAAdmin
import MFADoctor

extension RecordedService {
  /// Reads the records of confirmed changes, and what is left of the changes.
  package static func all() -> Result<[RecordedService], Failure> {
    do throws(ChangeError) {
      var services: [RecordedService] = []
      for entry in try ChangeJournal.unlocked.confirmed() {
        services.append(RecordedService(try entry.get()))
      }
      return .success(services)
    } catch {
      return .failure(Failure(place: ChangeJournal.confirmedPath, reason: error.message))
    }
  }

  private init(_ change: ServiceChange) {
    self.init(
      name: change.service,
      files: change.files.map { file in
        Self.file(file, change.service)
      })
  }

  private static func file(_ file: ChangedFile, _ service: [UInt8]) -> File {
    let present: SystemFile?
    do throws(ChangeError) { present = try SystemFile.read(file.path) } catch {
      return File(path: file.path, state: .unreadable(error.message))
    }
    guard let present else { return File(path: file.path, state: .gone) }
    guard present.contents != file.new else {
      return File(path: file.path, state: .complete, isUnchanged: true)
    }
    return File(path: file.path, state: state(of: present, file, service))
  }

  private static func state(
    of present: SystemFile, _ file: ChangedFile, _ service: [UInt8]
  ) -> State {
    let marks = MarkedText(service: service)
    switch marks.removing(from: present.contents) {
    case .absent: return .withoutLines
    case .removed(_, let line?): return .edited(line: line)
    case .removed:
      // Edits outside the marks do not matter.
      return marks.ourLines(in: present.contents) == marks.ourLines(in: file.new)
        ? .complete : .withoutLines
    }
  }
}
