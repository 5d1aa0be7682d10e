import FoundationEssentials
import Glibc
import MFABase
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

  /// The language of messages.
  static var language: Language {
    language(
      locale: localeName(of: "LC_MESSAGES"), list: variable("LANGUAGE") ?? "", isUTF8: isUTF8,
      ofHost: HostLanguage.read())
  }

  /// Returns a language by the rules of gettext: the first one of `list`, the value of LANGUAGE, for which there is a
  /// table, or else that of the locale for LC_MESSAGES. The list has no effect in the locale C. Without a table, or if
  /// the text is not UTF-8, the language is English.
  ///
  /// If no variable names a locale, as after a sign-in over ssh that passes none, the user has not chosen a language, and
  /// the one of the host's configuration is used, as at the sign-in.
  static func language(
    locale: String, list: String, isUTF8: Bool, ofHost: @autoclosure () -> Language?
  ) -> Language {
    guard !locale.isEmpty else { return ofHost() ?? .english }
    guard isUTF8 else { return .english }
    let names = ["C", "POSIX"].contains(locale) ? [] : list.split(separator: ":").map(String.init)
    return (names + [locale]).lazy.compactMap { Language(localeName: Array($0.utf8)) }.first
      ?? .english
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

  /// Returns a time in the user's time zone for tables, such as 2026-01-31 23:59 CET.
  static func text(of date: Date) -> String {
    seconds(of: date).flatMap { HostTime($0) }.map { String(decoding: $0.text, as: UTF8.self) }
      ?? "?"
  }

  /// Returns a time in the user's time zone for running text.
  static func text(of date: Date, in language: Language) -> String {
    seconds(of: date).flatMap { WrittenTime($0) }?.text(in: language).string ?? "?"
  }

  private static func seconds(of date: Date) -> Int64? {
    Int64(exactly: date.timeIntervalSince1970.rounded(.down))
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
