extension Configuration {
  /// Where a tenant, or `[project]` where it is nil, sets `key`; nil where it does not.
  public func origin(of key: Key, in tenant: Tenant? = nil) -> Origin? {
    let origins = tenant?.origins ?? origins
    guard origins.indices.contains(Int(key.rawValue)) else { return nil }
    let origin = origins[Int(key.rawValue)]
    return origin.isKnown ? origin : nil
  }

  /// The value of `key` in a tenant, or in `[project]` where it is nil, in its canonical form; nil
  /// where it has none: a tenant does not set it, or `[project]` has neither an issuer nor a day.
  public func value(of key: Key, in tenant: Tenant? = nil) -> [UInt8]? {
    guard let tenant else { return Overrides(project).printed(key) }
    return tenant.printed(key)
  }

  /// The file and the line, as `FILE:LINE`.
  public func place(of origin: Origin) -> [UInt8] {
    guard files.indices.contains(Int(origin.file)) else { return [] }
    return files[Int(origin.file)] + Array(":\(origin.line)".utf8)
  }
}
