import MFABase
import MFAModel

/// The host's configuration, which is read again when a file of it has changed.
///
/// MUST 1: a change that is complete is in force at the next `read`: every file and folder of the
/// configuration is looked at each time, and a file that changed within the last two seconds is always
/// read. (`ConfigurationCacheTests`)
package final class ConfigurationCache {
  private let location: ConfigurationLocation
  /// Returns the time in nanoseconds since the epoch.
  private let now: () -> Int64
  /// The files that the last configuration came from.
  private var files: [[UInt8]] = []
  private var known: Known?

  private struct Known {
    let identities: [FileIdentity?]
    let configuration: Configuration
  }

  /// Creates an empty cache for this host's configuration.
  package convenience init() { self.init(.standard, now: Clock.nanoseconds) }

  init(_ location: ConfigurationLocation, now: @escaping () -> Int64) {
    self.location = location
    self.now = now
  }

  /// Whether the next `read` returns the same configuration if nothing has changed.
  var isFilled: Bool { known != nil }

  /// Returns the host's configuration.
  package func read() throws(ConfigurationError) -> Configuration {
    let before = identities()
    if let known, known.identities == before { return known.configuration }
    known = nil
    let time = now()
    var draft = ConfigurationDraft()
    var read: [[UInt8]] = []
    try ConfigurationFile.forEachLayer(location) { (layer) throws(ConfigurationError) in
      let layer = try layer.get()
      read.append(layer.path)
      try ConfigurationFile.add(layer, to: &draft)
    }
    let configuration = try ConfigurationFile.finish(draft)
    if read == files, let before, before == identities(),
      before.allSatisfy({ $0?.isOld(at: time) ?? true })
    {
      known = Known(identities: before, configuration: configuration)
    }
    files = read
    return configuration
  }

  /// Returns the identities of the folders and of all files, or nil if one cannot be determined. A
  /// file that does not exist has none.
  private func identities() -> [FileIdentity?]? {
    var identities: [FileIdentity?] = []
    // A file that appears in a folder changes the identity of the folder.
    let folders = [location.vendor, location.folder, location.dropIns]
    for path in folders + files {
      do throws(SystemError) { identities.append(try .of(path)) } catch { return nil }
    }
    return identities
  }
}
