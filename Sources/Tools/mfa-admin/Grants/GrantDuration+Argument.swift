import ArgumentParser
import MFAAdminCore

extension GrantDuration: ExpressibleByArgument {
  /// The duration, as `--help` shows it.
  package var defaultValueDescription: String { text }
}
