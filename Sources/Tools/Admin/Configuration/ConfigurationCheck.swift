import MFABase
import MFAAttempt
import MFAModel

/// Finds the first mistake in each file of a configuration.
package struct ConfigurationCheck {
  private var draft = ConfigurationDraft()
  /// The mistakes found, in the order of the files.
  package private(set) var failures: [ConfigurationFile.Failure] = []
  /// The files that were read, in order.
  package private(set) var files: [[UInt8]] = []
  /// A line for each setting that has no effect, if there is no mistake.
  package private(set) var warnings: [String] = []

  /// Adds a file, whose settings override earlier ones. After a mistake, later files are still
  /// read.
  package mutating func add(_ layer: Result<ConfigurationFile.Layer, ConfigurationFile.Failure>) {
    do throws(ConfigurationFile.Failure) {
      let layer = try layer.get()
      files.append(layer.path)
      var attempt = draft
      try ConfigurationFile.add(layer, to: &attempt)
      draft = attempt
    } catch {
      failures.append(error)
    }
  }

  /// Checks for contradictions between settings, if no file has a mistake of its own.
  mutating func finish() {
    guard failures.isEmpty else { return }
    do throws(ConfigurationFile.Failure) {
      let configuration = try ConfigurationFile.finish(draft)
      warnings = configuration.unusedSettings.map { setting in
        let place = VisibleText.escaping(configuration.place(of: setting.origin))
        return "\(place): \(setting.message)"
      }
    } catch {
      failures.append(error)
    }
  }

  /// Checks the files of the host.
  package static func ofTheHost() -> ConfigurationCheck {
    var check = ConfigurationCheck()
    do throws(ConfigurationFile.Failure) {
      try DecidingUser.reading { () throws(ConfigurationFile.Failure) in
        try ConfigurationFile.forEachLayer { layer in check.add(layer) }
      }
    } catch {
      check.failures.append(error)
    }
    check.finish()
    return check
  }

  /// Checks the given files, whatever their location and owner.
  package static func of(_ paths: [String]) -> ConfigurationCheck {
    var check = ConfigurationCheck()
    for path in paths {
      let bytes = Array(path.utf8)
      check.add(
        PlainFile.read(path, longest: Configuration.maximumLength)
          .map { ConfigurationFile.Layer(path: bytes, text: $0) }
          .mapError { ConfigurationFile.Failure(bytes, refused: $0) })
    }
    check.finish()
    return check
  }
}
