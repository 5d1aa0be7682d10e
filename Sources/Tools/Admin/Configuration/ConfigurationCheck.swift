import MFAAttempt
import MFABase
import MFAModel

/// Finds the first mistake in each file of a configuration.
package struct ConfigurationCheck {
  private var draft = ConfigurationDraft()
  /// The mistakes found, in the order of the files.
  package private(set) var failures: [ConfigurationError] = []
  /// The files that were read, in order.
  package private(set) var files: [[UInt8]] = []
  /// A line for each setting that has no effect, if there is no mistake.
  package private(set) var warnings: [String] = []
  /// A line for each section that allows phones to which nothing is sent, if there is no mistake.
  package private(set) var notes: [String] = []

  /// Adds a file, whose settings override earlier ones. After a mistake, later files are still
  /// read.
  package mutating func add(_ layer: Result<ConfigurationFile.Layer, ConfigurationError>) {
    do throws(ConfigurationError) {
      let layer = try layer.get()
      files.append(layer.path)
      var attempt = draft
      try ConfigurationFile.add(layer, to: &attempt)
      draft = attempt
    } catch {
      failures.append(error)
    }
  }

  /// Checks for contradictions between settings, if no file has a mistake of its own.
  mutating func finish() {
    guard failures.isEmpty else { return }
    do throws(ConfigurationError) {
      let configuration = try ConfigurationFile.finish(draft)
      warnings = configuration.unusedSettings.map { setting in
        let place = VisibleText.escaping(configuration.place(of: setting.origin))
        return "\(place): \(setting.message)"
      }
      notes = configuration.notesAboutPhones
    } catch {
      failures.append(error)
    }
  }

  /// Checks the files of the host.
  package static func ofTheHost() -> ConfigurationCheck {
    var check = ConfigurationCheck()
    do throws(ConfigurationError) {
      try DecidingUser.reading { () throws(ConfigurationError) in
        try ConfigurationFile.forEachLayer { layer in check.add(layer) }
      }
    } catch {
      check.failures.append(error)
    }
    check.finish()
    return check
  }

  /// Checks the given files, whatever their location and owner.
  package static func of(_ paths: [String]) -> ConfigurationCheck {
    var check = ConfigurationCheck()
    for path in paths {
      let bytes = Array(path.utf8)
      check.add(
        PlainFile.read(path, longest: Configuration.maximumLength)
          .map { ConfigurationFile.Layer(path: bytes, text: $0) }
          .mapError { ConfigurationError(in: bytes, .system($0)) })
    }
    check.finish()
    return check
  }
}

/// A section of the drop-in of `config apply`.
package struct AppliedSection: Equatable {
  /// The form of the JSON that was applied last.
  let form: IdentityPlatformForm
  /// The lines of the section.
  private let lines: [ArraySlice<UInt8>]

  /// Finds the section with a header in the canonical text of the drop-in. Returns nil if there is
  /// none.
  init?(_ header: [UInt8], in text: [UInt8], form: IdentityPlatformForm) {
    let lines = text.split(separator: UInt8(ascii: "\n"))
    guard let start = lines.firstIndex(where: { $0.elementsEqual(header) }) else { return nil }
    self.form = form
    self.lines = lines[(start + 1)...].prefix { $0.first != UInt8(ascii: "[") }.map { $0 }
  }

  /// Returns whether the section sets a key.
  func sets(_ key: Configuration.Key) -> Bool {
    lines.contains { $0.starts(with: "\(key.name) = ".utf8) }
  }
}

/// A file or folder that keeps a user from reading a file, and the command that mends it.
package struct ReadingObstacle: Equatable {
  /// The path of the file or folder.
  let path: String
  /// Whether it is a folder.
  let isFolder: Bool

  /// A file or folder on the way to a file.
  package struct Step: Equatable {
    let path: String
    let isFolder: Bool
    let owner: UInt32
    let group: UInt32
    let permissions: UInt32

    package init(path: String, isFolder: Bool, owner: UInt32, group: UInt32, permissions: UInt32) {
      self.path = path
      self.isFolder = isFolder
      self.owner = owner
      self.group = group
      self.permissions = permissions
    }

    /// The bits of rwx that a user and a group have.
    package func rights(of user: UInt32, group: UInt32) -> UInt32 {
      if owner == user { return permissions >> 6 & 0o7 }
      return (self.group == group ? permissions >> 3 : permissions) & 0o7
    }
  }

  /// Finds the first obstacle for a user and a group on the way from the root directory to a file. A
  /// program opens the folder of the file, and searches those above it.
  package init?(_ steps: [Step], for user: UInt32, group: UInt32) {
    for (index, step) in steps.enumerated() {
      let isLastFolder = index == steps.count - 2
      let needed: UInt32 = step.isFolder ? (isLastFolder ? 0o5 : 0o1) : 0o4
      guard step.rights(of: user, group: group) & needed != needed else { continue }
      path = step.path
      isFolder = step.isFolder
      return
    }
    return nil
  }

  /// The command that mends it, without making a file of the configuration readable for all users.
  package var remedy: String {
    let place = VisibleText.escaping(path)
    let own = "\(InstalledPath.configurationFolder)"
    guard !isFolder || path == own || path.hasPrefix(own + "/") else { return "chmod a+x \(place)" }
    return "chgrp \(DecidingUser.name) \(place) && chmod \(isFolder ? "g+rx" : "g+r") \(place)"
  }

  /// Returns the command that lets the deciding user read the file at a path, or nil if its permissions do.
  static func remedy(at path: [UInt8]) -> String? {
    do throws(SystemError) {
      guard let identity = try DecidingUser.identity else { return nil }
      return ReadingObstacle(try steps(to: path), for: identity.user, group: identity.group)?.remedy
    } catch {
      return nil
    }
  }

  /// Returns the folders on the way to a file, and the file.
  private static func steps(to path: [UInt8]) throws(SystemError) -> [Step] {
    guard let path = TrustedPath(path) else { return [] }
    var folder = try Directory.root()
    var steps = [Step("/", try folder.status())]
    var place = ""
    for name in path.components {
      place += "/" + String(decoding: name.bytes, as: UTF8.self)
      let status = try folder.status(of: name)
      steps.append(Step(place, status))
      if status.kind == .directory { folder = try folder.directory(name) }
    }
    return steps
  }
}

extension ReadingObstacle.Step {
  fileprivate init(_ path: String, _ status: FileStatus) {
    self.init(
      path: path, isFolder: status.kind == .directory, owner: status.owner, group: status.group,
      permissions: status.permissions)
  }
}

extension Configuration {
  /// A line for each section that allows phones to which nothing is sent.
  package var notesAboutPhones: [String] {
    unsentCodes.map { "\(VisibleText.escaping(place(of: $0.origin))): \($0.message)" }
  }
}

extension Configuration.UnsentCodes {
  /// What is wrong and what has to be set, in one line.
  package var message: String {
    let keys = missing.map(\.name).joined(separator: " and ")
    let verb = missing.count == 1 ? "is" : "are"
    let text =
      "factors allows \(isOnlyType ? "only phones" : "phones"), but no code is sent to them until \(keys) "
      + "\(verb) set"
    guard isOnlyType else { return text }
    switch enrollment {
    case .selfService: return text
    case .offered: return text + ": users who are to enrol can add nothing"
    case .required: return text + ": users who have to enrol are denied"
    }
  }
}

extension Configuration.UnusedSetting {
  /// What is wrong and what the setting needs, in one line.
  package var message: String { "\(key.name) has no effect unless \(needed) is set" }
}
