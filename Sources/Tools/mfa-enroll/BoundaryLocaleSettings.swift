import FoundationEssentials
import Glibc
import MFAMessages

/// The user's locale settings.
enum LocaleSettings {
  /// Whether text is UTF-8. If the locale is not installed on the host, its name decides.
  static var isUTF8: Bool {
    // SAFETY: the strings stay valid, and no other thread uses the locale.
    guard unsafe setlocale(LC_CTYPE, "") == nil else {
      // SAFETY: the string is NUL-terminated, and copied before the locale changes.
      return unsafe isUTF8(codeset: String(cString: nl_langinfo(nl_item(CODESET))))
    }
    return isUTF8(localeName: localeName(of: "LC_CTYPE"))
  }

  /// The language of messages: that of LC_MESSAGES, or English if there is no table for it or if the
  /// text is not UTF-8.
  static var language: Language {
    let language = Language(localeName: Array(localeName(of: "LC_MESSAGES").utf8)) ?? .english
    return isUTF8 ? language : .english
  }

  /// Returns the name of the locale of a category, by the rules of POSIX (XBD 8.2).
  private static func localeName(of category: String) -> String {
    ["LC_ALL", category, "LANG"].lazy.compactMap { variable($0) }.first { !$0.isEmpty } ?? ""
  }

  /// Returns whether a locale name such as `de_DE.UTF-8@euro` stands for UTF-8.
  static func isUTF8(localeName name: String) -> Bool {
    guard let codeset = name.split(separator: "@").first?.split(separator: ".").dropFirst().last
    else { return false }
    return isUTF8(codeset: String(codeset))
  }

  private static func isUTF8(codeset: String) -> Bool {
    ["utf-8", "utf8"].contains(codeset.lowercased())
  }

  /// Returns a time in the user's time zone, such as 2026-01-31 23:59.
  static func text(of date: Date) -> String {
    guard let seconds = time_t(exactly: date.timeIntervalSince1970.rounded(.down)) else {
      return "?"
    }
    var time = seconds
    // SAFETY: a structure of numbers and a null pointer, which the call below fills.
    var parts = unsafe tm()
    // SAFETY: both objects outlive the call.
    guard unsafe localtime_r(&time, &parts) != nil else { return "?" }
    func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // SAFETY: the call has filled the structure. This reads numbers.
    let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
    // SAFETY: the call has filled the structure. This reads numbers.
    let (hour, minute) = unsafe (parts.tm_hour, parts.tm_min)
    return "\(year)-\(digits(month))-\(digits(day)) \(digits(hour)):\(digits(minute))"
  }

  /// Returns the value of an environment variable.
  static func variable(_ name: String) -> String? {
    // SAFETY: this program never changes the environment.
    guard let value = unsafe getenv(name) else { return nil }
    // SAFETY: the variable is NUL-terminated, and nothing changes the environment.
    return unsafe String(cString: value)
  }
}

extension Screen.Environment {
  /// The environment of this program.
  static var current: Screen.Environment {
    Screen.Environment(
      term: LocaleSettings.variable("TERM"), noColor: LocaleSettings.variable("NO_COLOR"),
      colorFGBG: LocaleSettings.variable("COLORFGBG"))
  }
}
