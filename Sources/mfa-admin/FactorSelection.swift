import Factors

/// Which factor is meant.
enum FactorSelection: Equatable {
  case one(Factor)
  case none
  case several([Factor])

  /// The shortest beginning of an id that is taken for one, in digits.
  static let shortestPrefix = 4

  /// The factor that `selector` names: by its whole id, by its display name, or by a beginning of its
  /// id that no other has, in this order. Without a selector it is the only one there is.
  init(_ selector: String?, in factors: [Factor]) {
    guard let selector else {
      self.init(factors)
      return
    }
    let text = Array(selector.utf8)
    let id = Self.lowercased(text)
    if let factor = factors.first(where: { $0.id.hexadecimal == id }) {
      self = .one(factor)
      return
    }
    let named = factors.filter { $0.displayName.utf8 == text }
    guard named.isEmpty, text.count >= Self.shortestPrefix else {
      self.init(named)
      return
    }
    self.init(factors.filter { $0.id.hexadecimal.starts(with: id) })
  }

  private init(_ candidates: [Factor]) {
    if let only = candidates.first, candidates.count == 1 {
      self = .one(only)
    } else {
      self = candidates.isEmpty ? .none : .several(candidates)
    }
  }

  private static func lowercased(_ text: [UInt8]) -> [UInt8] {
    text.map { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) ? $0 + 0x20 : $0 }
  }
}
