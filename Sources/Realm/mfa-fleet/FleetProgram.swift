#if Fleet
import MFARealmTransport
import MFABase

/// What the commands have in common.
enum FleetProgram {
  /// The path of the configuration file.
  static let standardConfiguration = "/etc/mfa/fleet.conf"

  /// Reads a section of a configuration file.
  static func configuration(
    at path: String, _ section: FleetConfiguration.Section, others: [FleetConfiguration.Section]
  ) throws(FleetError) -> FleetConfiguration {
    let text = String(decoding: try FleetFile(path).read(), as: UTF8.self)
    return try FleetConfiguration(text, path: path, section: section, others: others)
  }

  /// Prepares a program that runs for long.
  static func settle() throws(FleetError) {
    do throws(ProcessRefusal) {
      try PrivilegedProcess.settle(name: "mfa-fleet", keepsDescriptors: true)
      try ResourceLimit.openFiles.raise()
    } catch {
      throw FleetError("cannot prepare the process")
    }
  }
}
#endif
