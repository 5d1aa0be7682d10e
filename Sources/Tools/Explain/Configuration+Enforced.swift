import MFAPolicy

extension Configuration {
  /// The configuration with `state = enabled` wherever it says `observe`.
  var enforced: Configuration {
    let lines = printed().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let text = lines.map { line in
      String(decoding: line, as: UTF8.self) == "state = observe"
        ? "state = enabled" : String(decoding: line, as: UTF8.self)
    }.joined(separator: "\n")
    do throws(ConfigurationError) { return try Configuration.parse(Array(text.utf8).span) } catch {
      return self
    }
  }
}
