import ArgumentParser
import MFAAdmin
import MFAModel
import MFABase

/// `mfa-admin config write`
struct ConfigWriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Replace a configuration file by what is on standard input.",
    discussion: """
      Nothing is written if the configuration would have a mistake. mfad can read the file, whatever \
      the umask. The version before is kept, with the ending .old.

      \(AdminStatus.explanation)
      """)

  @Argument(help: ConfigWriting.fileHelp)
  var file: String

  func run() throws {
    try ThisHost.requireRoot()
    let path = try ConfigWriting.path(named: file)
    let text: [UInt8]
    do throws(TrustedPath.Refusal) {
      text = try PlainFile.standardInput(longest: Configuration.maximumLength).get()
    } catch {
      throw AdminError.unreadable("/dev/stdin", error)
    }
    try IdentityPlatformFile.locking { () throws(AdminError) in
      try ConfigWriting.write(
        try ConfigurationEdit(text, at: path, over: try ConfigurationEdit.layers()))
    }
  }
}
