#if Fleet
import ArgumentParser
import MFARealm
import MFARealmTransport
import MFABase

/// The entry point: runs the command, and reports failures in this program's format.
@main
enum FleetMain {
  /// The exit status after a failure.
  private static var failed: Int32 { 1 }

  static func main() async {
    do {
      var command = try MFAFleet.parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as RealmError {
      error.report(by: "mfa-fleet")
      MFAFleet.exit(withError: ExitCode(failed))
    } catch {
      MFAFleet.exit(withError: error)
    }
  }
}
#else
import MFABase
import MFACPOSIX

/// The program without its packages.
@main
enum FleetMain {
  static func main() {
    StandardError.write(
      Array("mfa-fleet: error: built without the trait Fleet\n".utf8))
    exit(1)
  }
}
#endif
