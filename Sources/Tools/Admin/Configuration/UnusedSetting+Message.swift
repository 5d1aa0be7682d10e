import MFAModel

extension Configuration.UnusedSetting {
  /// What is wrong and what the setting needs, in one line.
  package var message: String { "\(key.name) has no effect unless \(needed) is set" }
}
