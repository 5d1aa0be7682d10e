import MFAAdmin
import MFAPAMStack
import MFABase

/// Lists the files of systemd units, in the order in which systemd reads them (systemd.unit(5)).
enum UnitFiles {
  private static let folders = [
    "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
  ]

  private static let program = "/usr/bin/systemctl"

  /// The reason why a unit's files cannot be listed.
  struct Failure: Error {
    let place: String
    let reason: String
  }

  /// Returns the units whose processes use a PAM service.
  static func units(of service: ServiceWithModule) -> [String] {
    let name = String(decoding: service.name, as: UTF8.self)
    if name == "sshd" { return ["ssh.service", "sshd.service", "ssh@.service", "sshd@.service"] }
    if name == "login" {
      return ["getty@.service", "serial-getty@.service", "console-getty.service"]
    }
    for manager in ["gdm", "sddm", "lightdm", "lxdm", "xdm", "greetd", "cockpit"]
    where name.hasPrefix(manager) {
      return manager == "gdm" ? ["gdm.service", "gdm3.service"] : ["\(manager).service"]
    }
    return name == "polkit-1" ? ["polkit.service"] : ["\(name).service"]
  }

  /// Returns the files of a unit, or an empty array if the unit does not exist. If systemd is
  /// running, these are the files that it has loaded.
  static func paths(of unit: String, on host: any ExaminedHost) throws(Failure) -> [String] {
    if let paths = try loaded(unit, host) { return paths }
    return try pathsOnDisk(of: unit, on: host)
  }

  /// Returns the files of a unit that systemd reads when it starts, or an empty array if the unit does
  /// not exist.
  static func pathsOnDisk(of unit: String, on host: any ExaminedHost) throws(Failure) -> [String] {
    var paths: [String] = []
    for folder in folders where paths.isEmpty {
      if try isThere("\(folder)/\(unit)", host) { paths.append("\(folder)/\(unit)") }
    }
    guard !paths.isEmpty else { return [] }
    // systemd reads drop-ins in the order of their names. If several have the same name, it reads
    // only the one in the first folder.
    var dropIns: [(name: String, path: String)] = []
    let type = unit.split(separator: ".").last ?? ""
    for directory in ["\(unit).d", "\(type).d"] {
      for folder in folders {
        for name in try names("\(folder)/\(directory)", host) where name.hasSuffix(".conf") {
          guard !dropIns.contains(where: { $0.name == name }) else { continue }
          dropIns.append((name, "\(folder)/\(directory)/\(name)"))
        }
      }
    }
    return paths + dropIns.sorted { $0.name < $1.name }.map(\.path)
  }

  /// Returns the units whose names match, each once.
  static func names(
    on host: any ExaminedHost, where isIncluded: (String) -> Bool
  ) throws(Failure) -> [String] {
    var found: Set<String> = []
    for folder in folders { found.formUnion(try names(folder, host).filter(isIncluded)) }
    return found.sorted()
  }

  /// Returns the settings in a unit's files, in the order in which systemd reads them.
  static func settings(
    of unit: String, on host: any ExaminedHost
  ) throws(Failure) -> [UnitText.Setting] {
    var settings: [UnitText.Setting] = []
    for path in try pathsOnDisk(of: unit, on: host) {
      settings += UnitText(try text(of: path, host), from: path).settings
    }
    return settings
  }

  /// Returns the text of a unit's file.
  static func text(of path: String, _ host: any ExaminedHost) throws(Failure) -> [UInt8] {
    do throws(TrustedPath.Refusal) {
      guard let text = try host.text(of: path) else { throw .system(.notFound(.open)) }
      return text
    } catch {
      throw Failure(place: path, reason: error.text)
    }
  }

  /// Returns whether an administrator wrote or enabled a unit.
  static func isInUse(_ unit: String, on host: any ExaminedHost) throws(Failure) -> Bool {
    let administrators = folders[0]
    if try isThere("\(administrators)/\(unit)", host) { return true }
    for folder in try names(administrators, host)
    where folder.hasSuffix(".wants") || folder.hasSuffix(".requires") {
      if try isThere("\(administrators)/\(folder)/\(unit)", host) { return true }
    }
    return false
  }

  /// Returns the files that systemd has loaded, or nil if systemd is not running or does not
  /// answer.
  private static func loaded(_ unit: String, _ host: any ExaminedHost) throws(Failure) -> [String]?
  {
    guard try isThere("/run/systemd/system", host) else { return nil }
    // systemctl shows no settings for a template, so query an instance that is not running.
    let name = unit.replacing("@.", with: "@mfa-admin-doctor.")
    let output: ProgramOutput
    do throws(ProgramOutput.Failure) {
      let arguments = ["show", "--property=LoadState,FragmentPath,DropInPaths", "--", name]
      guard let found = try host.output(of: program, arguments), found.status == 0 else {
        return nil
      }
      output = found
    } catch {
      return nil
    }
    var values: [String: String] = [:]
    for line in String(decoding: output.output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
    guard let state = values["LoadState"] else { return nil }
    guard state == "loaded", let fragment = values["FragmentPath"], !fragment.isEmpty else {
      return []
    }
    return [fragment] + (values["DropInPaths"] ?? "").split(separator: " ").map(String.init)
  }

  private static func isThere(_ path: String, _ host: any ExaminedHost) throws(Failure) -> Bool {
    do throws(SystemError) { return try host.status(of: path) != nil } catch {
      throw Failure(place: path, reason: error.text)
    }
  }

  private static func names(_ folder: String, _ host: any ExaminedHost) throws(Failure) -> [String]
  {
    do throws(TrustedPath.Refusal) { return try host.names(in: folder) } catch {
      switch error {
      case .system(let error):
        guard !error.isNotFound else { return [] }
        throw Failure(place: folder, reason: error.text)
      case .untrusted(let distrust): throw Failure(place: folder, reason: "\(distrust.name)")
      }
    }
  }
}
