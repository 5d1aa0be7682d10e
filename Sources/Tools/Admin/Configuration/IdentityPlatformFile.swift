import MFAAttempt
import MFAModel
import MFABase

/// The drop-in that `mfa-admin config apply` writes.
///
/// MUST 1: the file is written completely and durably or not at all, and only if the configuration
/// is valid with the file. MUST 2: the file's other sections are kept, even if two processes change
/// the file at once. (`IdentityPlatformFileTests`, `ConfigProgramTests`)
package struct IdentityPlatformFile {
  /// /etc/mfa/mfa.conf.d/50-identity-platform.conf
  package static var path: [UInt8] {
    ConfigurationFile.folderPath + Array("/50-identity-platform.conf".utf8)
  }

  private static var heading: [UInt8] {
    Array(
      """
      # From Identity Platform. `mfa-admin config apply` overwrites this file and your edits to it.
      # Files whose names sort after this one override it.


      """.utf8)
  }

  /// The text of the file.
  package let text: [UInt8]
  /// The host's configuration with the new file.
  package let result: Configuration
  /// Whether the project or the tenant used codes that are sent to phones, which the new settings do
  /// not mention, and therefore switch off.
  package let switchesPhonesOff: Bool
  /// Whether codes of authenticator apps were asked for, which the new settings do not mention, and therefore
  /// switch off.
  package let switchesAppsOff: Bool
  /// The types of factors that stay allowed although the settings do not name them.
  package let unnamedTypes: [Configuration.FactorType]

  /// Replaces the section of the project or of a tenant with `settings`. `layers` are all
  /// configuration files of the host, among them the current version of this file, if any.
  package init(
    _ settings: IdentityPlatform, tenant: [UInt8]?, over layers: [ConfigurationFile.Layer]
  ) throws(AdminError) {
    let before = try Self.configuration(of: layers, isNeeded: settings.dependsOnPresent)
    let allowed = before.map { ConfigurationText($0).allowedTypes(tenant) } ?? AllowedTypes.none
    unnamedTypes = settings.unnamedTypes(over: allowed)
    var draft = ConfigurationDraft()
    var forms = Self.forms(in: layers)
    if let present = layers.first(where: { $0.path == Self.path }) {
      try Self.add(present, to: &draft)
      draft.removeSection(tenant: tenant, except: settings.keptKeys(over: allowed))
    }
    if settings.partial == nil { forms[ConfigurationLines.header(tenant)] = settings.form }
    let section = ConfigurationFile.Layer(
      path: Self.path, text: settings.section(tenant: tenant, over: allowed))
    try Self.add(section, to: &draft)
    text = Self.heading + IdentityPlatformForm.recording(forms, in: draft.printed())

    let file = ConfigurationFile.Layer(path: Self.path, text: text)
    do throws(ConfigurationError) {
      var all: [ConfigurationFile.Layer] = []
      let replaced = ConfigurationEdit.replacing(
        Self.path, by: file, in: layers.map { .success($0) })
      for layer in replaced { all.append(try layer.get()) }
      result = try ConfigurationFile.configuration(of: all)
    } catch {
      throw .notApplied(error)
    }
    let replaces = !settings.dependsOnPresent
    switchesPhonesOff =
      replaces && settings.isPhoneEnabled == nil && before?.usesPhones(tenant) == true
      && !result.usesPhones(tenant)
    switchesAppsOff =
      replaces && settings.isEnabled == false && settings.form.lacksEntry
      && before?.usesApps(tenant) == true && !result.usesApps(tenant)
  }

  /// Returns the present configuration, or nil if it has a mistake.
  private static func configuration(
    of layers: [ConfigurationFile.Layer], isNeeded: Bool
  ) throws(AdminError) -> Configuration? {
    do throws(ConfigurationError) {
      return try ConfigurationFile.configuration(of: layers)
    } catch {
      guard isNeeded else { return nil }
      throw .notApplied(error)
    }
  }

  /// Returns the section of the project or of a tenant in the current version of this file, if any.
  package static func applied(
    tenant: [UInt8]?, in layers: [ConfigurationFile.Layer]
  ) throws(AdminError) -> AppliedSection? {
    guard let present = layers.first(where: { $0.path == path }) else { return nil }
    var draft = ConfigurationDraft()
    try add(present, to: &draft)
    let header = ConfigurationLines.header(tenant)
    return AppliedSection(
      header, in: draft.printed(), form: forms(in: layers)[header] ?? .standard)
  }

  /// Returns the forms recorded in the current version of this file, if any.
  private static func forms(
    in layers: [ConfigurationFile.Layer]
  ) -> [[UInt8]: IdentityPlatformForm] {
    layers.first { $0.path == path }.map { IdentityPlatformForm.recorded(in: $0.text) } ?? [:]
  }

  private static func add(
    _ layer: ConfigurationFile.Layer, to draft: inout ConfigurationDraft
  ) throws(AdminError) {
    do throws(ConfigurationError) {
      try ConfigurationFile.add(layer, to: &draft)
    } catch {
      throw .notApplied(error)
    }
  }

  /// Returns the keys of a section that a later file overrides, each with its source location.
  package func overruled(tenant: [UInt8]?) -> [(key: Configuration.Key, place: [UInt8])] {
    let section = result.tenants.first { $0.name == tenant }
    let keys: [Configuration.Key] = [
      .state, .adjacentIntervals, .factors, .regions, .phoneTestNumbers,
    ]
    return keys.compactMap { key in
      guard let origin = result.origin(of: key, in: section),
        let place = result.files.firstIndex(of: Self.path), Int(origin.file) > place
      else { return nil }
      return (key, result.place(of: origin))
    }
  }

  /// Runs `body` while no other `mfa-admin` can change the configuration.
  package static func locking<Result>(
    _ body: () throws(AdminError) -> Result
  ) throws(AdminError) -> Result {
    let lock = try ConfigurationLock()
    let result = try body()
    // Keep the lock until `body` has returned.
    extendLifetime(lock)
    return result
  }

  /// Writes the file, replacing any earlier version atomically.
  package func write() throws(AdminError) {
    guard let path = TrustedPath(Self.path),
      let name = FileName(Array(".50-identity-platform.conf.new".utf8))
    else {
      throw .notApplied(ConfigurationError(in: Self.path, .notAPath))
    }
    do throws(SystemError) {
      try path.inParent { (folder, file) throws(SystemError) in
        try folder.replace(file, by: name, text) { (file) throws(SystemError) in
          try file.changeMode(to: 0o644)
        }
      }
    } catch {
      let place = error.distrust == nil ? Self.path : ConfigurationFile.folderPath
      throw .notApplied(ConfigurationError(in: place, .system(error)))
    }
  }
}

extension Configuration {
  /// Returns whether codes that are sent to phones are in use for the project or for a tenant.
  fileprivate func usesPhones(_ tenant: [UInt8]?) -> Bool {
    ConfigurationText(self).usesPhones(tenants.first { tenant != nil && $0.name == tenant })
  }

  /// Returns whether codes of authenticator apps are asked for in the project or in a tenant.
  fileprivate func usesApps(_ tenant: [UInt8]?) -> Bool {
    ConfigurationText(self).usesApps(tenants.first { tenant != nil && $0.name == tenant })
  }
}
