extension Language {
  /// Returns the language of a POSIX locale name such as `fr_CA.UTF-8@euro`, or nil if there is no
  /// table for it. Simplified Chinese has no table; `zh_TW`, `zh_HK`, `zh_MO` and names with `Hant`
  /// are Traditional Chinese.
  package init?(localeName name: [UInt8]) {
    let name = name.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }.map(
      Self.lowercased)
    let parts = name.split { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }.map(Array.init)
    guard let language = parts.first else { return nil }
    switch language {
    case Array("en".utf8), Array("c".utf8), Array("posix".utf8): self = .english
    case Array("fr".utf8): self = .french
    case Array("es".utf8): self = .spanish
    case Array("ja".utf8): self = .japanese
    case Array("zh".utf8):
      let traditional = ["tw", "hk", "mo", "hant"].map { Array($0.utf8) }
      guard parts.dropFirst().contains(where: { traditional.contains($0) }) else { return nil }
      self = .traditionalChinese
    default: return nil
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
