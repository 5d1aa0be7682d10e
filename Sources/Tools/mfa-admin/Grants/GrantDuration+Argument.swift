import ArgumentParser
import MFAAdmin

extension GrantDuration: ExpressibleByArgument {
  /// The duration, as `--help` shows it.
  package var defaultValueDescription: String { text }
}
