import MFABase

/// The paths of the configuration files of a host.
struct ConfigurationLocation {
  /// The vendor's file.
  let vendor: [UInt8]
  /// The folder of the host's file and of the folder of drop-ins.
  let folder: [UInt8]
  /// The host's file.
  let host: [UInt8]
  /// The folder of the host's drop-ins.
  let dropIns: [UInt8]

  /// The configuration files of this host.
  static var standard: ConfigurationLocation {
    ConfigurationLocation(
      vendor: ConfigurationFile.vendorPath, folder: InstalledPath.configurationFolder.bytes,
      host: ConfigurationFile.standardPath, dropIns: ConfigurationFile.folderPath)
  }
}
