import MFAAdmin
import MFABase

/// Finds programs and modules that are not the ones that were installed, for example because a copy
/// was interrupted.
enum ReplacedFiles: Examination {
  private static let list = "\(InstalledPath.checksums)"
  private static let program = "/usr/bin/sha256sum"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    let output: ProgramOutput
    do throws(ProgramOutput.Failure) {
      guard let found = try snapshot.host.output(of: program, ["--check", "--quiet", list]) else {
        return [
          .unchecked("whether files were replaced", at: program, "the program does not exist")
        ]
      }
      output = found
    } catch {
      return [.unchecked("whether files were replaced", at: list, error.text)]
    }
    let lines = String(decoding: output.output, as: UTF8.self).split(separator: "\n")
    let findings = lines.compactMap { finding($0) }
    guard findings.isEmpty, !output.isSuccess else { return findings }
    return [.unchecked("whether files were replaced", at: list, output.complaint)]
  }

  /// Returns the finding for a line such as `/usr/lib/mfa/mfad: FAILED open or read`.
  private static func finding(_ line: Substring) -> Finding? {
    guard let match = line.wholeMatch(of: /(.+): FAILED( open or read)?/) else { return nil }
    return Finding(
      severity: .error, code: "file-replaced", place: VisibleText.escaping(String(match.1)),
      message: match.2 == nil
        ? "is not the file that was installed: it was replaced, or only partly copied"
        : "cannot be read, although it was installed",
      hint: "install mfa again: packaging/install")
  }
}
