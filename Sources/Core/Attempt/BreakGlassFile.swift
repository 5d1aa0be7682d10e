import MFABase
import MFAModel

/// The file /etc/mfa/break-glass, which `mfa-admin break-glass` writes.
package enum BreakGlassFile {
  /// How long to wait while another process computes the hash, in seconds.
  private static var patience: Int64 { 10 }

  /// Returns the credential, or nil if the file is missing, malformed, or writable by other users.
  package static func credential() -> BreakGlassCredential? {
    do throws(ConfigurationFile.Failure) {
      return BreakGlassCredential(try ConfigurationFile.text(InstalledPath.breakGlass.bytes))
    } catch {
      return nil
    }
  }

  /// Calls `body` while no other process computes the hash, which needs much memory. Returns nil if
  /// others compute it for too long.
  package static func alone<Result>(_ body: () -> Result) -> Result? {
    guard let path = TrustedPath(InstalledPath.breakGlass.bytes) else { return nil }
    do throws(TrustedPath.Refusal) {
      let folder = try path.parent()
      do throws(SystemError) {
        let file = try folder.fileForReading(path.last)
        guard try file.lock(seconds: patience) else { return nil }
        let result = body()
        // The lock ends with the open file, which must stay open until here.
        withExtendedLifetime(file) {}
        return result
      } catch {
        return nil
      }
    } catch {
      return nil
    }
  }
}
