import MFABase

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
