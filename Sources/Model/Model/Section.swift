extension Configuration {
  /// The types of sections.
  package enum Section: Equatable, Sendable {
    /// `[project]`
    case project
    /// `[tenant NAME]`
    case tenant

    /// The section header in the file.
    var header: String {
      switch self {
      case .project: "[project]"
      case .tenant: "[tenant NAME]"
      }
    }
  }
}
