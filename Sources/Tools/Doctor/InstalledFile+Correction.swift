import MFAAdmin
import MFABase

/// The user IDs and group IDs of the accounts that own files of the installation, as far as they are known.
struct FileOwners {
  /// The user mfa and its primary group.
  var mfa: (user: UInt32?, group: UInt32?)
  /// The user mfa-gateway and its primary group.
  var gateway: (user: UInt32?, group: UInt32?) = (nil, nil)

  /// Returns the IDs of an owner.
  func identity(of owner: InstalledFile.Owner) -> (user: UInt32?, group: UInt32?) {
    switch owner {
    case .root: (0, 0)
    case .mfa: mfa
    case .gateway: gateway
    }
  }
}

extension InstalledFile {
  /// Returns how a file violates the requirement, or nil if it does not.
  func violation(_ status: PathStatus, _ owners: FileOwners) -> String? {
    guard status.kind == kind else {
      return "is of type \(status.kind.rawValue), expected \(kind.rawValue)"
    }
    if let user = owners.identity(of: owner).user, status.owner != user {
      return "belongs to uid \(status.owner), expected \(owner.rawValue)"
    }
    let text = PathStatus.text(status.permissions)
    if permissions.isEmpty {
      guard status.permissions & 0o022 == 0 else {
        return "has mode \(text): users other than root can write to it"
      }
      guard isReadable(status, owners) else {
        return "has mode \(text): the user mfa cannot read it"
      }
    } else if !permissions.contains(status.permissions) {
      return "has mode \(text), expected \(PathStatus.text(permissions[0]))"
    }
    if kind == .file, status.links != 1 { return "has \(status.links) hard links" }
    if let size, status.size != size { return "has \(status.size) bytes, expected \(size)" }
    return nil
  }

  /// Returns whether the user mfa can read the file, or list the folder.
  private func isReadable(_ status: PathStatus, _ owners: FileOwners) -> Bool {
    let needed: UInt32 = kind == .folder ? 0o5 : 0o4
    guard let user = owners.mfa.user else { return status.permissions & needed == needed }
    let step = ReadingObstacle.Step(
      path: "", isFolder: kind == .folder, owner: status.owner, group: status.group,
      permissions: status.permissions)
    return step.rights(of: user, group: owners.mfa.group ?? .max) & needed == needed
  }

  /// Returns the status with the owner, the group and the permissions that the file has to have. What already fits
  /// stays; a file that not every user can read does not become readable for every user. Returns nil if an owner is
  /// not known.
  func corrected(_ status: PathStatus, _ owners: FileOwners) -> PathStatus? {
    guard let user = owners.identity(of: owner).user,
      let group = owners.identity(of: group ?? owner).group, let reader = owners.mfa.group
    else { return nil }
    var new = status
    new.owner = user
    guard permissions.isEmpty else {
      // New files of root in the store have the group of root, which has no rights here.
      if self.group != nil || status.owner != user || status.group != 0 { new.group = group }
      if !permissions.contains(status.permissions) { new.permissions = permissions[0] }
      return new
    }
    if status.group != reader { new.group = group }
    if kind == .folder {
      if status.permissions & 0o022 != 0 || !isReadable(new, owners) {
        new.permissions = 0o755
        new.group = group
      }
      return new
    }
    if status.permissions & 0o022 != 0 { new.permissions &= 0o644 }
    if status.permissions & 0o400 == 0 { new.permissions |= 0o600 }
    if !isReadable(new, owners) {
      new.group = reader
      new.permissions |= 0o040
    }
    return new
  }
}
