import MFACPOSIX

/// The character set of the user who started this process, as far as the environment names it.
package enum ProcessLocale {
  /// Whether the environment's locale name stands for UTF-8. False if there is none.
  ///
  /// The environment belongs to the user, so this must only decide how text is shown. The C library's
  /// locale is that of the application, which may not have read the environment.
  package static var isUTF8: Bool {
    let names: [StaticString] = ["LC_ALL", "LC_CTYPE", "LANG"]
    for name in names {
      // SAFETY: the name ends with a NUL. The variable is copied at once.
      guard let value = unsafe getenv(cString(name.bytes)) else { continue }
      // SAFETY: the variable is NUL-terminated.
      let locale = unsafe bytes(value)
      if !locale.isEmpty { return isUTF8(locale) }
    }
    return false
  }

  /// Returns whether a locale name such as `de_DE.UTF-8@euro` stands for UTF-8.
  static func isUTF8(_ locale: [UInt8]) -> Bool {
    guard let dot = locale.firstIndex(of: UInt8(ascii: ".")) else { return false }
    var letters: [UInt8] = []
    for byte in locale[(dot &+ 1)...] {
      if byte == UInt8(ascii: "@") { break }
      if byte != UInt8(ascii: "-") { letters.append(byte | 0x20) }
    }
    return letters == ("utf8" as StaticString).bytes
  }
}
