#if Fleet
import FoundationEssentials
import MFABase
import MFARealm
import MFARealmTransport

/// The configuration of the relay of a host.
package struct RelayConfiguration: Sendable {
  let verifiers: [RealmAddress]
  let credentials: RealmCredentials.Files
  let metrics: MetricsAddress?
  /// The folder with what the host keeps for the time in which no verifier answers, or nil to keep nothing.
  let offlineFolder: String?
  /// The directory service that tells to which entry an account belongs, or nil if this host asks none.
  let directory: DirectoryService?

  /// The section of the configuration file.
  package static var section: RealmConfiguration.Section {
    RealmConfiguration.Section(
      "relay", required: RealmCredentials.Files.keys.union(["verifiers"]),
      optional: [MetricsAddress.key, "offline_folder", "directory", "directory_attribute"])
  }

  /// The file in which the relay says which state it is in: beside the certificate.
  package var stateFile: String {
    let folder = credentials.own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return folder.joined(separator: "/") + "/relay-state"
  }

  /// Reads the section.
  package init(_ configuration: RealmConfiguration) throws(RealmError) {
    verifiers = try configuration.addresses("verifiers")
    credentials = try RealmCredentials.Files(configuration)
    metrics = try MetricsAddress(configuration)
    offlineFolder = configuration.text("offline_folder")
    let attribute = configuration.text("directory_attribute")
    switch configuration.text("directory") {
    case "sssd": directory = DirectoryService(attribute: attribute ?? "entryUUID")
    case nil where attribute == nil: directory = nil
    case nil:
      throw configuration.error(
        about: "directory_attribute", "directory_attribute is set without directory",
        hint: "add: directory = sssd")
    case let other?:
      throw configuration.error(
        about: "directory", "directory = \(other) is not known",
        hint: "write directory = sssd, or remove the line")
    }
  }
}

/// The file in which the relay says which state it is in, for administrators and for programs.
struct RelayStateFile: Sendable {
  let path: String
  let health: VerifierHealth
  let store: OfflineStore?

  /// How often the file is written although nothing changed, in seconds. A file that is much older was left by a
  /// relay that does not run.
  private static var interval: Int { 30 }

  /// Writes the file whenever something changes, until the task is cancelled.
  func run() async {
    var last = ""
    var age = 0
    while !Task.isCancelled {
      let present = text
      if present != last || age >= Self.interval {
        do throws(RealmError) {
          try write(present)
          (last, age) = (present, 0)
        } catch {
          Log.writeError(in: "relay", reason: "state-file")
          age = 0
        }
      }
      age += 1
      do { try await Task.sleep(for: .seconds(1)) } catch { return }
    }
    remove()
  }

  private var text: String {
    var lines = ["state = \(health.phase.rawValue)"]
    if let condition = store?.condition {
      lines += [
        "permits = \(condition.permits)", "permits_file = \(Self.word(condition.arePermitsSound))",
        "queued = \(condition.records)", "queue = \(Self.word(condition.isQueueSound))",
      ]
    } else {
      lines.append("offline_folder = none")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func word(_ isSound: Bool) -> String { isSound ? "sound" : "damaged" }

  private func write(_ text: String) throws(RealmError) {
    let now = try RealmError.onSystem("cannot read the clock") { () throws(SystemError) in
      try Clock.now()
    }
    try RealmFile(path).write(Array((text + "written = \(now)\n").utf8))
  }

  private func remove() {
    do throws(RealmError) { try write("state = stopped\n") } catch {}
  }
}
#endif
