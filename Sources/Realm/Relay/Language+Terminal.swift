#if Fleet
import MFAMessages

extension Language {
  /// Returns whether a terminal can show the language. The Linux console, `tty` and a number, has no wide characters. Without
  /// a terminal, every language can be shown.
  func isShown(atTerminal terminal: [UInt8]?) -> Bool {
    switch self {
    case .english, .french, .spanish: return true
    case .japanese, .traditionalChinese:
      let name = String(decoding: terminal ?? [], as: UTF8.self)
      let number = name.trimmingPrefix("/dev/").trimmingPrefix("tty")
      return number.count == name.trimmingPrefix("/dev/").count || UInt32(number) == nil
    }
  }
}
#endif
