import MFAAdmin
import MFABase

/// A report in a file that another program reads, such as the textfile collector of node_exporter.
///
/// The folder may belong to the other program's user. Then the file is written with this user's rights,
/// so that the user gains nothing by exchanging the folder. MUST 1: no link is followed, and only a
/// regular file is replaced. (`EndToEnd.Doctor`)
package enum ReportFile {
  /// Writes the report and replaces the existing file at once.
  package static func write(_ contents: [UInt8], to path: String) throws(ChangeError) {
    guard let place = TrustedPath(Array(path.utf8)),
      let draft = SystemFile.draft(of: place.last)
    else { throw .report(path, .untrusted(.notARegularFile)) }
    let folder = try folder(of: place, path)
    let owner = try owner(of: folder, String(path.dropLast(place.last.bytes.count)))
    do throws(SystemError) {
      var isTaken = false
      try EffectiveUser.acting(as: owner) { () throws(SystemError) in
        isTaken = try Self.isTaken(place.last, in: folder)
        guard !isTaken else { return }
        try SystemFile.replace(place.last, by: draft, contents, in: folder) {
          (file) throws(SystemError) in try file.changeMode(to: 0o644)
        }
      }
      guard isTaken else { return }
    } catch {
      throw .report(path, .system(error))
    }
    throw .report(path, .untrusted(.notARegularFile))
  }

  /// Opens the folder, without following a link.
  private static func folder(
    of place: TrustedPath, _ path: String
  ) throws(ChangeError) -> Directory {
    var folder: Directory
    do throws(SystemError) { folder = try Directory.root() } catch {
      throw .report(path, .system(error))
    }
    var reached = ""
    for name in place.components.dropLast() {
      reached += "/" + String(decoding: name.bytes, as: UTF8.self)
      do throws(SystemError) { folder = try folder.directory(name) } catch {
        throw .report(reached, error.isSymbolicLink ? .untrusted(.symbolicLink) : .system(error))
      }
    }
    return folder
  }

  /// Returns the owner of the folder. Throws if other users can write to it.
  private static func owner(
    of folder: borrowing Directory, _ path: String
  ) throws(ChangeError) -> UInt32 {
    let status: FileStatus
    do throws(SystemError) { status = try folder.status() } catch {
      throw .report(path, .system(error))
    }
    guard !status.isWritableByOthers else { throw .report(path, .untrusted(.wrongPermissions)) }
    return status.owner
  }

  private static func isTaken(
    _ name: FileName, in folder: borrowing Directory
  ) throws(SystemError) -> Bool {
    do throws(SystemError) { return try folder.status(of: name).kind != .regular } catch
      where error.isNotFound
    { return false }
  }
}
