import MFAAdmin

/// Finds settings that have no effect, because another key that they need is not set.
enum UnusedSettings: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.validConfigurations.flatMap { configuration in
      configuration.unusedSettings.map { setting in
        Finding(
          severity: .note, code: "unused-setting",
          place: VisibleText.escaping(configuration.place(of: setting.origin)),
          message: setting.message, hint: "set \(setting.needed), or remove the line")
      }
    }
  }
}
