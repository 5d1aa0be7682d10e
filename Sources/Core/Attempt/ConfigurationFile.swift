import MFABase
import MFAModel
import MFAStore

/// Functions that check and read the configuration files in this order: the vendor's file, the
/// host's file, and the host's drop-ins in the byte order of their names.
///
/// MUST 1: a file that a user other than root could have written, or that does not parse, is an
/// error and is never ignored. The same applies to a folder that cannot be listed completely.
/// (`BadConfiguration`, `LayeredConfiguration`)
/// MUST 2: a missing file is skipped. If all files are missing, that is an error, and the defaults
/// are not used. (`BadConfiguration`)
/// MUST 3: a file that a program without root's privileges names is read, and its existence reported, only if
/// every user can read it: the decider can read files that the program's user cannot.
/// (`PublicConfigurationTests`)
package enum ConfigurationFile {
  /// A configuration file that exists.
  package struct Layer: Equatable, Sendable {
    /// Its path.
    package let path: [UInt8]
    /// The contents. A file that is too long is truncated one byte above the maximum length.
    package let text: [UInt8]
    /// The time of the last change, in seconds since the epoch; 0 if it is unknown.
    package let writtenAt: Int64

    /// Creates a layer.
    package init(path: [UInt8], text: [UInt8], writtenAt: Int64 = 0) {
      self.path = path
      self.text = text
      self.writtenAt = writtenAt
    }
  }

  /// The maximum number of drop-ins.
  package static var maximumDropIns: Int { 64 }

  /// The vendor's file, /usr/lib/mfa/mfa.conf.
  package static var vendorPath: [UInt8] { InstalledPath.vendorConfiguration.bytes }

  /// The host's file, /etc/mfa/mfa.conf.
  package static var standardPath: [UInt8] { InstalledPath.configuration.bytes }

  /// The folder of drop-ins, /etc/mfa/mfa.conf.d.
  package static var folderPath: [UInt8] { InstalledPath.dropIns.bytes }

  /// Reads the host's configuration.
  package static func read() throws(ConfigurationError) -> Configuration {
    var draft = ConfigurationDraft()
    try forEachLayer { (layer) throws(ConfigurationError) in try add(try layer.get(), to: &draft) }
    return try finish(draft)
  }

  /// Reads only the configuration file at `path`.
  package static func read(_ path: [UInt8]) throws(ConfigurationError) -> Configuration {
    guard let trusted = TrustedPath(path) else { throw ConfigurationError(in: path, .notAPath) }
    var draft = ConfigurationDraft()
    guard let directory = try directory(of: trusted, path),
      let layer = try layer(path, trusted.last, in: directory)
    else { throw absence(path) }
    try add(layer, to: &draft)
    return try finish(draft)
  }

  /// Reads only the configuration file at `path`, as a user without privileges could.
  package static func readPublic(_ path: [UInt8]) throws(ConfigurationError) -> Configuration {
    guard let trusted = TrustedPath(path) else { throw ConfigurationError(in: path, .notAPath) }
    let isReachable: Bool
    do throws(SystemError) {
      isReachable = try trusted.isReachableByEveryUser()
    } catch {
      _ = try missing(path, error)
      throw absence(path)
    }
    // The error that the user would get.
    guard isReachable else { throw ConfigurationError(in: path, .system(.forbidden(.open))) }
    var draft = ConfigurationDraft()
    guard let directory = try directory(of: trusted, path),
      let layer = try layer(path, trusted.last, in: directory, isPublic: true)
    else { throw absence(path) }
    try add(layer, to: &draft)
    return try finish(draft)
  }

  /// Returns the text of a file that only root can have written, in the format of another program.
  package static func text(_ path: [UInt8]) throws(ConfigurationError) -> [UInt8] {
    guard let trusted = TrustedPath(path) else { throw ConfigurationError(in: path, .notAPath) }
    guard let directory = try directory(of: trusted, path),
      let layer = try layer(path, trusted.last, in: directory)
    else { throw absence(path) }
    return layer.text
  }

  /// Calls `body` with each existing file of the host's configuration, in order, or with the reason
  /// why a file cannot be used.
  package static func forEachLayer(
    _ body: (Result<Layer, ConfigurationError>) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) {
    try forEachLayer(.standard, body)
  }

  /// Calls `body` with each existing file at a location, as above.
  static func forEachLayer(
    _ location: ConfigurationLocation,
    _ body: (Result<Layer, ConfigurationError>) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) {
    // On most hosts, which have no vendor file, this check costs one system call.
    if Directory.mayExist(location.vendor), let vendor = TrustedPath(location.vendor),
      let directory = try directory(of: vendor, location.vendor)
    {
      try hand(location.vendor, vendor.last, in: directory, to: body)
    }
    guard let host = TrustedPath(location.host),
      let directory = try directory(of: host, location.host)
    else { return }
    try hand(location.host, host.last, in: directory, to: body)
    guard let folder = try folder(location.dropIns, in: directory) else { return }
    let names = try dropIns(location.dropIns, in: folder)
    var last: [UInt8] = []
    while let name = next(after: last, in: names) {
      try hand(location.dropIns + [UInt8(ascii: "/")] + name.bytes, name, in: folder, to: body)
      last = name.bytes
    }
  }

  // MARK: Files

  private static func hand(
    _ path: [UInt8], _ name: FileName, in directory: borrowing Directory,
    to body: (Result<Layer, ConfigurationError>) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) {
    let layer: Layer?
    do throws(ConfigurationError) {
      layer = try Self.layer(path, name, in: directory)
    } catch {
      return try body(.failure(error))
    }
    if let layer { try body(.success(layer)) }
  }

  /// Returns the file, or nil if it does not exist.
  private static func layer(
    _ path: [UInt8], _ name: FileName, in directory: borrowing Directory, isPublic: Bool = false
  ) throws(ConfigurationError) -> Layer? {
    do throws(SystemError) {
      let file = try directory.fileForReading(name)
      let status = try file.status()
      guard !isPublic || status.permissions & 0o004 != 0 else { throw .forbidden(.open) }
      if let distrust = status.distrust { throw .untrusted(distrust) }
      // One byte more than the maximum, so that the parser sees and reports a file that is too long.
      let length = min(Int(clamping: status.size), Configuration.maximumLength + 1)
      let text = try file.read(count: length)
      return Layer(path: path, text: text, writtenAt: status.writtenAt)
    } catch {
      guard error.isNotFound else { throw ConfigurationError(in: path, .system(error)) }
      return nil
    }
  }

  private static func absence(_ path: [UInt8]) -> ConfigurationError {
    ConfigurationError(in: path, .system(.notFound(.open)))
  }

  // MARK: Folders

  /// Returns the directory that holds the file, or nil if it does not exist.
  private static func directory(
    of trusted: TrustedPath, _ path: [UInt8]
  ) throws(ConfigurationError) -> Directory? {
    do throws(SystemError) {
      return try trusted.parent()
    } catch {
      return try missing(path, error)
    }
  }

  /// Returns the folder of drop-ins, or nil if it does not exist.
  private static func folder(
    _ path: [UInt8], in directory: borrowing Directory
  ) throws(ConfigurationError) -> Directory? {
    guard let trusted = TrustedPath(path) else { return nil }
    do throws(SystemError) {
      return try TrustedPath.directory(trusted.last, in: directory)
    } catch {
      return try missing(path, error)
    }
  }

  private static func missing(
    _ path: [UInt8], _ error: SystemError
  ) throws(ConfigurationError) -> Directory? {
    guard error.isNotFound else { throw ConfigurationError(in: path, .system(error)) }
    return nil
  }

  /// Returns the names of the drop-ins in no particular order.
  private static func dropIns(
    _ path: [UInt8], in folder: borrowing Directory
  ) throws(ConfigurationError) -> [FileName] {
    var names: [FileName] = []
    do throws(SystemError) {
      try folder.forEachEntry { name in
        if Configuration.isDropIn(name.bytes) { names.append(name) }
        return names.count <= maximumDropIns
      }
    } catch {
      throw ConfigurationError(in: path, .system(error))
    }
    guard names.count <= maximumDropIns else {
      throw ConfigurationError(in: path, .tooManyFiles(maximumDropIns))
    }
    return names
  }

  /// Returns the first of `names` after `last` in byte order, or nil if there are no more.
  private static func next(after last: [UInt8], in names: [FileName]) -> FileName? {
    var next: FileName?
    for name in names where last.lexicographicallyPrecedes(name.bytes) {
      if let next, next.bytes.lexicographicallyPrecedes(name.bytes) { continue }
      next = name
    }
    return next
  }

  // MARK: Configuration

  /// Adds a file to the draft. Its settings take precedence over those of earlier files.
  package static func add(
    _ layer: Layer, to draft: inout ConfigurationDraft
  ) throws(ConfigurationError) {
    try draft.add(layer.text.span, from: layer.path, writtenAt: layer.writtenAt)
  }

  /// Returns the configuration that results from all files.
  package static func finish(_ draft: ConfigurationDraft) throws(ConfigurationError)
    -> Configuration
  {
    guard !draft.files.isEmpty else { throw absence(standardPath) }
    return try draft.finish()
  }
}

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

extension LogLine {
  /// Appends the configuration file that cannot be used, and why.
  @inline(never)
  package mutating func add(_ failure: ConfigurationError) {
    add("part", "configuration")
    add("file", escaping: failure.path)
    switch failure.reason {
    case .notAPath: add("reason", "not-an-absolute-path")
    case .system(let error):
      if let distrust = error.distrust { add("reason", distrust.name) } else { add(error) }
    case .tooManyFiles: add("reason", "too-many-files")
    case _:
      add("reason", "invalid")
      add("line", Int64(failure.line))
      addQuoted("message", failure.message)
    }
  }
}

/// Records in the audit log that the configuration changed. The first process that uses the new
/// configuration records the change, because an editor does not.
///
/// MUST 1: no sign-in succeeds under a configuration that has not been recorded, as long as the
/// audit log can be written. (`ConfigurationChangeTests.entered`)
/// MUST 2: a failure to write the audit log is reported in the system log and has no other effect:
/// the change itself has already happened. (`ConfigurationChangeTests.unwritable`)
package enum ConfigurationChange {
  /// Records this configuration in the audit log, unless it is the one recorded last. Returns the
  /// line to write to the system log, or nil if there is nothing to report.
  package static func note<Store: FactorStore>(
    _ fingerprint: ConfigurationFingerprint, in store: Store,
    by actor: AuditLogEvent.Actor, at time: Int64
  ) -> (LogPriority, LogLine)? {
    var line = LogLine()
    line.add("result", "policy-changed")
    line.add("configuration", escaping: fingerprint.name)
    line.add("newest", escaping: fingerprint.newest)
    do throws(FactorStoreError) {
      guard try !store.knows(configuration: fingerprint.value) else {
        return nil
      }
      let event = AuditLogEvent(
        .policyChanged, ids: fingerprint.name, detail: fingerprint.newest,
        by: actor, at: time)
      guard let checkpoint = try store.enter(event, configuration: fingerprint.value)
      else {
        return nil
      }
      line.add(checkpoint)
      return (.notice, line)
    } catch {
      line.add(error)
      return (.warning, line)
    }
  }

  /// Returns the actor for a change of the configuration files: an unknown user. `program` detected
  /// the change.
  package static func somebody(seenBy program: [UInt8]) -> AuditLogEvent.Actor {
    AuditLogEvent.Actor(name: [], uid: nil, program: program, source: Source([]))
  }
}

extension ConfigurationFingerprint {
  /// The configuration fingerprint in hexadecimal digits.
  var name: [UInt8] {
    var writer = ByteWriter()
    writer.write(value)
    return Hexadecimal.text(of: writer.bytes)
  }

  /// The most recently written file and its time: `/etc/mfa/mfa.conf@2026-11-21T10:18:00Z`.
  var newest: [UInt8] {
    newestFile + [UInt8(ascii: "@")] + UTCTime.precise(newestChange)
  }
}
