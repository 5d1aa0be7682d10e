import MFAAdmin

/// What a program says about a configuration file that it refuses.
///
/// MUST 1: the text of a file that not every user can read is never quoted, only the file and the line.
/// (`ProgramComplaintTests`, `EndToEnd.Doctor.privateFile`)
package struct ProgramComplaint: Equatable {
  /// The file and the line as `FILE:LINE`, escaped for display, or nil if the program names none.
  package let place: String?
  /// What is wrong.
  package let reason: String
  /// The complaint as text, in the form in which the program prints it.
  package let text: String

  /// The reason in place of the text of a file that is not public.
  private static let hidden = "not shown, because not every user can read this file"

  /// What programs say without quoting a file.
  private static let harmlessReasons = ["syntax error"]

  /// What sshd says while the folder is missing that its service creates at the start.
  private static let missingFolder = "Missing privilege separation directory: "

  /// Whether sshd only lacks what its service creates at the start.
  package var isOfStoppedServer: Bool { place == nil && reason.hasPrefix(Self.missingFolder) }

  /// Chooses what to show of the output of a program. `isPublic` returns whether every user can read a
  /// file. `files` are all files that the program can have quoted.
  package init(_ output: ProgramOutput, files: [String], isPublic: (String) -> Bool) {
    for line in output.errors.split(separator: UInt8(ascii: "\n")) {
      guard let location = Location(String(decoding: line, as: UTF8.self)) else { continue }
      place = VisibleText.escaping("\(location.file):\(location.line)")
      let mayShow =
        Self.harmlessReasons.contains(location.reason) || isPublic(String(location.file))
      reason = mayShow ? VisibleText.escaping(location.reason) : Self.hidden
      text = VisibleText.escaping(location.text) + reason
      return
    }
    let complaint = output.complaint
    let mayShow =
      output.errors.isEmpty || complaint.hasPrefix(Self.missingFolder)
      || files.allSatisfy(isPublic)
    place = nil
    reason = mayShow ? complaint : output.status.map { "exit status \($0)" } ?? Self.hidden
    text = reason
  }

  /// Chooses what to show of the output of sshd, whose configuration begins at `path`.
  package init(
    ofSSHD output: ProgramOutput, at path: String = SSHDFile.path, on host: any ExaminedHost
  ) {
    let file = SSHDFile(of: host, at: path)
    self.init(output, files: file.files + file.unread.map(\.place)) { path in
      ResolvedPath(path, on: host).isPublic
    }
  }

  /// The beginning of a message, such as `/etc/ssh/sshd_config: line 7: `, also without the first colon,
  /// or `/etc/sudoers:7:3: `, and the rest.
  private struct Location {
    let file: Substring
    let line: Substring
    let text: String
    let reason: String

    init?(_ message: String) {
      let message = message.hasSuffix("\r") ? String(message.dropLast()) : message
      if let match = message.prefixMatch(of: /(\/[^:]+?):? line ([0-9]+):\s/) {
        (file, line, text) = (match.1, match.2, String(match.0))
      } else if let match = message.prefixMatch(of: /(\/[^: ]*):([0-9]+)(?::[0-9]+)?:\s?/) {
        (file, line, text) = (match.1, match.2, String(match.0))
      } else {
        return nil
      }
      reason = String(message.dropFirst(text.count))
    }
  }
}
