import MFAAdmin

/// What the relay of this host says about an outage: `mfa-fleet relay --status`.
struct RelayReport: Equatable {
  /// Whether the relay decides by itself, because no verifier has answered for some time.
  let isOffline: Bool
  /// The number of users about whom the relay may decide then; 0 if the host keeps nothing.
  let permits: Int
  /// Whether the file with the permits could be read.
  let arePermitsSound: Bool
  /// False if the record of sign-ins during an outage was changed.
  let isQueueSound: Bool

  /// Asks the relay. Returns nil if it does not run, or if its program is not installed.
  static func read<Host: ExaminedHost>(on host: Host) -> RelayReport? {
    do throws(ProgramOutput.Failure) {
      guard let output = try host.output(of: "/usr/sbin/mfa-fleet", ["relay", "--status"]),
        output.isSuccess
      else { return nil }
      return RelayReport(String(decoding: output.output, as: UTF8.self))
    } catch {
      return nil
    }
  }

  /// Reads lines such as `state = online`. A line that is missing means that nothing is wrong.
  init(_ text: String) {
    let lines = text.split(separator: "\n")
    func value(of key: String) -> Substring? {
      let beginning = key + " = "
      return lines.first { $0.hasPrefix(beginning) }?.dropFirst(beginning.count)
    }
    isOffline = value(of: "state") == "offline"
    permits = value(of: "permits").flatMap { Int($0) } ?? 0
    arePermitsSound = value(of: "permits_file") != "damaged"
    isQueueSound = value(of: "queue") != "damaged"
  }
}
