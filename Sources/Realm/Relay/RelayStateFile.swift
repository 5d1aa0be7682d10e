#if Fleet
import FoundationEssentials
import MFABase
import MFARealmTransport
import MFARealm

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
        do throws(FleetError) {
          try write(present)
          (last, age) = (present, 0)
        } catch {
          FleetLog.write(FleetLog.failure("relay", "state-file"))
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

  private func write(_ text: String) throws(FleetError) {
    let now: Int64
    do throws(SystemError) { now = try Clock.now() } catch {
      throw FleetError("cannot read the clock: \(error.text)")
    }
    try FleetFile(path).write(Array((text + "written = \(now)\n").utf8))
  }

  private func remove() {
    do throws(FleetError) { try write("state = stopped\n") } catch {}
  }
}
#endif
