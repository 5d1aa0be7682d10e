import MFABase
import MFAAttempt
import MFAModel

/// A new version of one of the host's configuration files.
///
/// MUST 1: the file is written completely and durably or not at all, and the version that it replaces is
/// kept beside it. MUST 2: a version that brings a mistake into the configuration is not written; mistakes
/// of other files keep nothing from being written. MUST 3: mfad can read what is written, whatever the
/// umask. (`ConfigurationEditTests`, `ConfigProgramTests`)
package struct ConfigurationEdit {
  /// The path of the file.
  package let path: [UInt8]
  /// The new text.
  package let text: [UInt8]
  /// The mistakes of other files, for which the new version has no fault.
  package let otherMistakes: [ConfigurationError]
  /// The warnings about settings without effect.
  package let warnings: [String]

  /// The ending of the name of the version before. No file with such a name is read.
  private static let ending = ".old"

  /// A file of the host, or the reason why it cannot be used.
  package typealias Layer = Result<ConfigurationFile.Layer, ConfigurationError>

  /// Returns the path of a file that is named as an argument: the host's file if there is no name, the
  /// name of a drop-in, or the path of either. Returns nil for any other text.
  package static func path(named name: String?) -> [UInt8]? {
    guard let name else { return ConfigurationFile.standardPath }
    let bytes = Array(name.utf8)
    let folder = ConfigurationFile.folderPath + [UInt8(ascii: "/")]
    if bytes == ConfigurationFile.standardPath || name == "mfa.conf" {
      return ConfigurationFile.standardPath
    }
    let own = bytes.starts(with: folder) ? Array(bytes.dropFirst(folder.count)) : bytes
    return Configuration.isDropIn(own) ? folder + own : nil
  }

  /// Prepares a new version. Throws if the configuration would have a mistake that it does not have now.
  package init(_ text: [UInt8], at path: [UInt8], over layers: [Layer]) throws(AdminError) {
    let new = ConfigurationFile.Layer(path: path, text: text)
    let before = Self.check(layers)
    let after = Self.check(Self.replacing(path, by: new, in: layers))
    if let failure = after.failures.first(where: {
      $0.path == path || !before.failures.contains($0)
    }) {
      throw .notApplied(failure)
    }
    self.path = path
    self.text = text
    otherMistakes = after.failures
    warnings = after.warnings
  }

  private static func check(_ layers: [Layer]) -> ConfigurationCheck {
    var check = ConfigurationCheck()
    for layer in layers { check.add(layer) }
    if !layers.isEmpty { check.finish() }
    return check
  }

  /// Returns the files with a new version of one, in the order in which they are read.
  static func replacing(
    _ path: [UInt8], by new: ConfigurationFile.Layer, in layers: [Layer]
  ) -> [Layer] {
    var files = layers.filter { Self.path(of: $0) != path }
    let next = files.firstIndex {
      rank(Self.path(of: $0)).lexicographicallyPrecedes(rank(path)) == false
    }
    files.insert(.success(new), at: next ?? files.endIndex)
    return files
  }

  private static func path(of layer: Layer) -> [UInt8] {
    switch layer {
    case .success(let layer): layer.path
    case .failure(let failure): failure.path
    }
  }

  /// Returns what files are ordered by.
  private static func rank(_ path: [UInt8]) -> [UInt8] {
    let group: UInt8 =
      path == ConfigurationFile.vendorPath ? 0 : path == ConfigurationFile.standardPath ? 1 : 2
    return [group] + path
  }

  /// Returns the files of the host as root reads them, in order, with those that cannot be used.
  package static func layers() throws(AdminError) -> [Layer] {
    var layers: [Layer] = []
    do throws(ConfigurationError) {
      try ConfigurationFile.forEachLayer { layers.append($0) }
    } catch {
      throw .configuration(error)
    }
    return layers
  }

  /// Returns the present text of a file, or an empty one if it does not exist.
  package static func text(of path: [UInt8], in layers: [Layer]) throws(AdminError) -> [UInt8] {
    guard let layer = layers.first(where: { Self.path(of: $0) == path }) else { return [] }
    do throws(ConfigurationError) { return try layer.get().text } catch {
      throw .configuration(error)
    }
  }

  /// Returns the file that decides a key of a section now, or the host's file if none sets it.
  package static func place(
    of keys: [String], tenant: [UInt8]?, in layers: [Layer]
  ) -> [UInt8] {
    settingFiles(keys, tenant, layers).last ?? ConfigurationFile.standardPath
  }

  /// Returns the last file of the administrator with the section of a tenant, or nil.
  package static func file(withTenant tenant: [UInt8], in layers: [Layer]) -> [UInt8]? {
    layers.last { layer in
      guard case .success(let layer) = layer, layer.path != ConfigurationFile.vendorPath else {
        return false
      }
      return ConfigurationLines(layer.text).has(tenant)
    }.map { path(of: $0) }
  }

  /// Returns the later files that set a key of a section too, and therefore override it.
  package func overriding(
    _ keys: [String], tenant: [UInt8]?, in layers: [Layer]
  ) -> [[UInt8]] {
    Self.settingFiles(keys, tenant, layers).filter {
      Self.rank(path).lexicographicallyPrecedes(Self.rank($0))
    }
  }

  /// Returns the files of the administrator that set a key of a section, in order.
  private static func settingFiles(
    _ keys: [String], _ tenant: [UInt8]?, _ layers: [Layer]
  ) -> [[UInt8]] {
    layers.compactMap { layer in
      guard case .success(let layer) = layer, layer.path != ConfigurationFile.vendorPath,
        ConfigurationLines(layer.text).index(of: keys, tenant: tenant) != nil
      else { return nil }
      return layer.path
    }
  }

  // MARK: Writing

  /// Writes the file. Returns the path of the version before, or nil if there was none or it is the same.
  package func write() throws(AdminError) -> [UInt8]? {
    guard let trusted = TrustedPath(path),
      let draft = FileName([UInt8(ascii: ".")] + trusted.last.bytes + Array(".new".utf8)),
      let old = FileName(trusted.last.bytes + Array(Self.ending.utf8))
    else { throw .notApplied(ConfigurationError(in: path, .notAPath)) }
    do throws(SystemError) {
      let hasOld = try trusted.inParent { (folder, name) throws(SystemError) in
        try write(name, draft: draft, old: old, in: folder)
      }
      return hasOld ? path + Array(Self.ending.utf8) : nil
    } catch {
      throw .notApplied(ConfigurationError(in: path, .system(error)))
    }
  }

  /// Returns whether the file has this text already, and mfad can read it.
  package func isInPlace() throws(AdminError) -> Bool {
    guard let trusted = TrustedPath(path) else { return false }
    do throws(SystemError) {
      return try trusted.inParent { (folder, name) throws(SystemError) in
        guard let present = try Self.present(name, in: folder) else { return false }
        return present.isReadable && present.text == text
      }
    } catch {
      throw .notApplied(ConfigurationError(in: path, .system(error)))
    }
  }

  private func write(
    _ name: FileName, draft: FileName, old: FileName, in folder: borrowing Directory
  ) throws(SystemError) -> Bool {
    let present = try Self.present(name, in: folder)
    if let present, present.text == text, present.isReadable { return false }
    if let present {
      try Self.put(present.text, as: old, draft, present.status, in: folder)
    }
    try Self.put(
      text, as: name, draft, present?.isReadable == true ? present?.status : nil, in: folder)
    return present != nil
  }

  /// Writes a file with the group and the permissions of another one, or readable for everybody.
  private static func put(
    _ text: [UInt8], as name: FileName, _ draft: FileName, _ status: FileStatus?,
    in folder: borrowing Directory
  ) throws(SystemError) {
    try folder.replace(name, by: draft, text) { (file) throws(SystemError) in
      try file.changeGroup(to: status?.group ?? 0)
      try file.changeMode(to: (status?.permissions ?? 0o644) & 0o755)
    }
  }

  private static func present(
    _ name: FileName, in folder: borrowing Directory
  ) throws(SystemError) -> (text: [UInt8], status: FileStatus, isReadable: Bool)? {
    do throws(SystemError) {
      let file = try folder.fileForReading(name)
      let status = try file.status()
      guard status.kind == .regular else { throw SystemError(.open, number: 22) }
      let text = try file.read(
        count: min(Int(clamping: status.size), Configuration.maximumLength + 1))
      let identity = try DecidingUser.identity
      let step = ReadingObstacle.Step(
        path: "", isFolder: false, owner: status.owner, group: status.group,
        permissions: status.permissions)
      let isReadable =
        identity.map { step.rights(of: $0.user, group: $0.group) & 0o4 != 0 } ?? true
      return (text, status, isReadable)
    } catch {
      guard error.isNotFound else { throw error }
      return nil
    }
  }
}
