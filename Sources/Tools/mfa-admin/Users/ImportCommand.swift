import MFAAdmin
import ArgumentParser
import MFAImport

/// `mfa-admin import`
struct ImportCommand: ParsableCommand {
  static let configuration = command(
    "import", "Import factors from google-authenticator or pam_oath.",
    """
    Prints a line for each factor. Codes that were used before are not accepted again. Existing \
    factors are kept, and no factor is imported twice.
    """)

  @Option(
    help: ArgumentHelp(
      "A folder with USER/.google_authenticator or a file USER for each user, such as /home.",
      valueName: "dir"))
  var googleAuthenticator: String?

  @Option(
    name: .customLong("users-oath"),
    help: ArgumentHelp("A users.oath file.", valueName: "file"))
  var usersOATH: String?

  @Option(help: "The value of pam_oath's option window, in time steps.")
  var window: UInt8 = UsersOATHFile.defaultWindow

  @Option(help: "Import for this user only.")
  var user: String?

  @Flag(help: "Print what would be imported, and change nothing.")
  var dryRun = false

  @Flag(help: "Print JSON, for programs.")
  var json = false

  func validate() throws {
    guard (googleAuthenticator == nil) != (usersOATH == nil) else {
      throw ValidationError("give either --google-authenticator DIR or --users-oath FILE")
    }
  }

  func run() throws(AdminError) {
    let administration = try ThisHost.localAdministration(needsConfiguration: false)
    let source: ImportSource =
      if let googleAuthenticator {
        .googleAuthenticator(folder: Self.withoutFinalSlash(googleAuthenticator))
      } else {
        .usersOATH(file: usersOATH ?? "", window: window)
      }
    let reports = try administration.importFactors(from: source, user: user, isTrial: dryRun)
    if json {
      try Console.write(JSON.object([("factors", .array(reports.map(\.json)))]).text + "\n")
    } else if reports.isEmpty {
      Console.printError("there is nothing to import")
    } else {
      try Console.write(reports.map { $0.text + "\n" }.joined())
    }
    let refused = reports.count { $0.isRefused }
    guard refused == 0 else { throw .notImported(refused, of: reports.count) }
  }

  /// Returns the path of a folder as other paths are written. Shells complete it with a slash.
  private static func withoutFinalSlash(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }
}
