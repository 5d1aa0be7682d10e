extension ConfigurationDraft {
  /// Returns the sections and settings of the files in canonical form, without defaults.
  package func printed() -> [UInt8] {
    var text: [UInt8] = []
    for section in [project] + tenants where section.header.isKnown {
      if !text.isEmpty { text.append(UInt8(ascii: "\n")) }
      text.append(contentsOf: "[".utf8)
      switch section.kind {
      case .project: text.append(contentsOf: "project".utf8)
      case .tenant: text.append(contentsOf: Array("tenant ".utf8) + section.name)
      }
      text.append(contentsOf: "]\n".utf8)
      for key in Configuration.Key.allCases {
        guard let value = section.values.printed(key) else { continue }
        text.append(contentsOf: key.name.utf8)
        text.append(contentsOf: Array(" = ".utf8) + value)
        text.append(UInt8(ascii: "\n"))
      }
    }
    return text
  }

  /// Removes what the files set in a tenant, or in `[project]` if `tenant` is nil. The values of
  /// `keys` stay in `[project]`.
  package mutating func removeSection(tenant: [UInt8]?, exceptProjectKeys keys: [Configuration.Key])
  {
    guard let tenant else {
      project = project.keeping(keys)
      return
    }
    tenants.removeAll { $0.name == tenant }
  }
}
