import MFAModel
import MFAWire

/// The result of selecting one of a user's factors on the command line.
enum FactorSelection: Equatable {
  case one(FactorSummary)
  case noFactor
  case several([FactorSummary])

  /// The minimum length of an id prefix, in hexadecimal digits.
  static let shortestPrefix = 4

  /// Selects the factor that `selector` names by its whole id, its display name, or a unique prefix
  /// of its id, in this order. Without a selector, selects the only factor.
  init(_ selector: String?, in factors: [FactorSummary]) {
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

  private init(_ candidates: [FactorSummary]) {
    if let only = candidates.first, candidates.count == 1 {
      self = .one(only)
    } else {
      self = candidates.isEmpty ? .noFactor : .several(candidates)
    }
  }

  private static func lowercased(_ text: [UInt8]) -> [UInt8] {
    text.map { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) ? $0 + 0x20 : $0 }
  }
}
