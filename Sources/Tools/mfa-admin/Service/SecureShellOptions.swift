import ArgumentParser
import MFAServices

extension SecureShellFactors.First: ExpressibleByArgument {}

/// The options of `enable` that matter to sshd alone.
struct SecureShellOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What sshd asks for: password+code (the default), key+code, or key-or-password+code.",
      valueName: "factors"))
  var factors: SecureShellFactors.First?

  @Option(
    name: .customLong("except-group"),
    help: ArgumentHelp(
      "Let the members of this group sign in by ssh with a key alone; may be repeated.",
      valueName: "group"))
  var exemptGroups: [String] = []

  var value: SecureShellFactors {
    SecureShellFactors(first: factors ?? .password, exemptGroups: exemptGroups)
  }

  /// Checks the options for these services.
  func validate(for services: [String]) throws {
    for group in exemptGroups where !SecureShellFactors.isGroup(group) {
      throw ValidationError("--except-group takes the name of one group")
    }
    guard value == .usual || services.contains("sshd") else {
      throw ValidationError("--factors and --except-group require the service sshd")
    }
  }
}
