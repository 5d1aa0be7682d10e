import MFAAdmin

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
  package static func results(of plans: [ServicePlan]) -> [TrialResult] {
    let services = plans.map { String(decoding: $0.service, as: UTF8.self) }
    let output: ProgramOutput
    do throws(ProgramOutput.Failure) {
      output = try ChildProgram(
        arguments: [program, command] + (plans.first?.factors.arguments ?? []) + services,
        seconds: patience
      ).run()
    } catch {
      return plans.map { _ in .untried("the trial: \(error.text)") }
    }
    let lines = String(decoding: output.output, as: UTF8.self).split(separator: "\n")
    return services.enumerated().map { index, service in
      guard index < lines.count, let result = TrialResult(lines[index], of: service) else {
        return .failed("the trial ended early: \(output.complaint)")
      }
      return result
    }
  }
}
