import MFAAdmin
import MFADoctor

/// Tries services in a process of its own, because a trial hides files from its process, and because
/// a damaged module can end it.
package enum TrialProgram {
  /// The path of this program.
  private static let program = "/proc/self/exe"
  /// The name of the command that tries services.
  package static let command = "try-sign-in"
  /// The time limit in seconds. Modules of directory services can wait long for a server.
  private static let patience: Int64 = 60

  /// Returns the result for each service, in order.
  ///
  /// - Parameters:
  ///   - plans: the plans.
  ///   - told: how their programs ask, if the administrator told that.
  /// - Returns: the results.
  package static func results(
    of plans: [ServicePlan], told: ServiceConversation?
  ) -> [TrialResult] {
    let services = plans.map { String(decoding: $0.service, as: UTF8.self) }
    let output: ProgramOutput
    do throws(AdminError) {
      output = try ChildProgram(
        arguments: [program, command] + (told.map { [$0.option] } ?? [])
          + (plans.first?.factors.arguments ?? []) + services,
        seconds: patience
      ).run()
    } catch {
      return plans.map { _ in .untried("the trial: \(error.reason)") }
    }
    let lines = String(decoding: output.output, as: UTF8.self).split(separator: "\n")
    return services.enumerated().map { index, service in
      guard index < lines.count, let result = TrialResult(lines[index], of: service) else {
        return .failed("the trial ended early: \(output.complaint)")
      }
      return result
    }
  }

  /// Returns a sentence for each user whose sign-in at a service would fail with its new files.
  package static func forecasts(
    of plan: ServicePlan, told: ServiceConversation?, for users: [[UInt8]]
  ) throws(AdminError) -> [String] {
    let names = users.map { "--forecast=" + String(decoding: $0, as: UTF8.self) }
    let output = try ChildProgram(
      arguments: [program, command] + names + (told.map { [$0.option] } ?? [])
        + plan.factors.arguments
        + [String(decoding: plan.service, as: UTF8.self)],
      seconds: patience
    ).run()
    guard output.isSuccess else { throw AdminError(at: program, output.complaint) }
    return String(decoding: output.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

/// The test accounts, and the contents of /etc/passwd and /etc/shadow with them.
package struct TrialAccounts: Equatable {
  /// The names of the test accounts, the one with a factor first.
  package let names: [[UInt8]]
  /// Their user IDs.
  package let uids: [UInt32]

  /// The user IDs to choose from, highest first: those of ordinary users, so that lines such as
  /// `pam_succeed_if.so uid >= 1000` apply to the test accounts as to other users.
  private static let range: ClosedRange<UInt32> = 1000...59_999

  /// Chooses names and user IDs that no other account has. Returns nil if none are free.
  package init?(besides taken: [(name: [UInt8], uid: UInt32)]) {
    let takenNames = Set(taken.map(\.name))
    let takenUIDs = Set(taken.map(\.uid))
    let names = (0..<1000).lazy.map { Array("mfa-trial-\($0)".utf8) }
      .filter { !takenNames.contains($0) }.prefix(2)
    let uids = Self.range.reversed().lazy.filter { !takenUIDs.contains($0) }.prefix(2)
    self.names = Array(names)
    self.uids = Array(uids)
    guard self.names.count == 2, self.uids.count == 2 else { return nil }
  }

  /// Returns the contents of /etc/passwd with lines for the test accounts.
  package func passwd(_ text: [UInt8]) -> [UInt8] {
    adding(to: text) { name, uid in "\(name):x:\(uid):65534:trial of mfa-admin:/:/bin/sh" }
  }

  /// Returns the contents of /etc/shadow with lines for the test accounts. `today` is in days since
  /// the epoch.
  package func shadow(_ text: [UInt8], hash: String, today: Int64) -> [UInt8] {
    adding(to: text) { name, _ in "\(name):\(hash):\(today):0:99999:7:::" }
  }

  private func adding(to text: [UInt8], line: (String, UInt32) -> String) -> [UInt8] {
    let separator: [UInt8] = text.isEmpty || text.last == UInt8(ascii: "\n") ? [] : [0x0A]
    let lines = zip(names, uids).map { line(String(decoding: $0, as: UTF8.self), $1) + "\n" }
    return text + separator + Array(lines.joined().utf8)
  }
}
