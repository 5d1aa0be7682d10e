import FoundationEssentials
import MFABase
import MFAMessages
import MFAModel

/// The key `language` of the host's configuration, for users whose environment names no locale.
enum HostLanguage {
  /// Returns the language, or nil if the configuration names none, cannot be read by this user or has an error, or if the
  /// user's terminal cannot show the language. A member of a realm has the configuration of the realm, which is not on
  /// the host.
  static func read(
    files: [String] = ["\(InstalledPath.vendorConfiguration)", "\(InstalledPath.configuration)"],
    folder: String = "\(InstalledPath.dropIns)", terminal: [UInt8]? = ControllingTerminal.name
  ) -> Language? {
    let paths = files + dropIns(folder)
    var draft = ConfigurationDraft()
    do throws(ConfigurationError) {
      for path in paths {
        guard let content = FileManager.default.contents(atPath: path) else { continue }
        try draft.add([UInt8](content).span, from: Array(path.utf8))
      }
      guard !draft.files.isEmpty, let tag = try draft.finish().value(of: .language),
        let language = Language(tag: tag.span), language.isShown(atTerminal: terminal)
      else { return nil }
      return language
    } catch {
      return nil
    }
  }

  private static func dropIns(_ folder: String) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { Configuration.isDropIn(Array($0.utf8)) }
        .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        .map { "\(folder)/\($0)" }
    } catch {
      return []
    }
  }
}
