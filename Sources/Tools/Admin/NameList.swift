/// Lists of names within sentences.
package enum NameList {
  /// Joins the first `most` names with commas and appends the number of the remaining names.
  package static func text(_ names: [String], most: Int = 5) -> String {
    let rest = names.count - most
    let shown = names.prefix(most).joined(separator: ", ")
    return rest > 0 ? "\(shown) and \(rest) more" : shown
  }
}
