import MFABase

/// The configuration files of this machine's sshd.
///
/// MUST 1: a file that a user other than root could have written is not read.
/// (`InstalledSecureShellTests.distrusted`)
package struct InstalledSecureShell: SecureShellFiles {
  /// Creates the source. Nothing is read yet.
  package init() {}

  /// The settings in /etc/ssh/sshd_config.
  package static var configuration: SecureShellConfiguration {
    SecureShellReader.read(InstalledPath.sshd.bytes, from: InstalledSecureShell())
  }

  /// The longest file that is read, in bytes.
  private static var longest: Int64 { 65_536 }

  /// Reads a file.
  package func text(of path: [UInt8]) -> [UInt8]? {
    guard let trusted = TrustedPath(path) else { return nil }
    do throws(TrustedPath.Refusal) {
      let folder = try trusted.parent()
      return Self.text(of: trusted.last, in: folder)
    } catch {
      return nil
    }
  }

  private static func text(of name: FileName, in folder: borrowing Directory) -> [UInt8]? {
    do throws(SystemError) {
      let file = try folder.fileForReading(name)
      let status = try file.status()
      guard status.kind == .regular, status.owner == 0, !status.isWritableByOthers,
        status.size <= longest
      else { return nil }
      return try file.read(count: Int(clamping: status.size))
    } catch {
      return nil
    }
  }

  /// Lists a folder.
  package func names(in folder: [UInt8]) -> [[UInt8]]? {
    let slash = UInt8(ascii: "/")
    guard let path = TrustedPath(folder + [slash, UInt8(ascii: "-")]) else { return nil }
    do throws(TrustedPath.Refusal) {
      return Self.names(in: try path.parent())
    } catch {
      guard case .system(let cause) = error, cause.isNotFound else { return nil }
      return []
    }
  }

  private static func names(in folder: borrowing Directory) -> [[UInt8]]? {
    var names: [[UInt8]] = []
    do throws(SystemError) {
      try folder.forEachEntry { name in
        names.append(name.bytes)
        return true
      }
      return names
    } catch {
      return nil
    }
  }
}
