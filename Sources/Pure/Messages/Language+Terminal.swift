import MFABytes

extension Language {
  /// Returns whether a terminal can show the language; nil if there is none. The Linux console has no wide characters.
  public func isShown(atTerminal terminal: [UInt8]?) -> Bool {
    switch self {
    case .english, .french, .spanish: return true
    case .japanese, .traditionalChinese:
      guard let terminal else { return true }
      let folder: StaticString = "/dev/tty"
      let name: StaticString = "tty"
      for prefix in [folder.bytes, name.bytes] where terminal.starts(with: prefix) {
        let number = terminal.dropFirst(prefix.count)
        if !number.isEmpty,
          number.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        {
          return false
        }
      }
      return true
    }
  }
}
