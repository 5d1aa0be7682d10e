extension Configuration {
  /// Returns the source location of `key` in a tenant, or in `[project]` if `tenant` is nil.
  /// Returns nil if the section does not set it.
  package func origin(of key: Key, in tenant: Tenant? = nil) -> Origin? {
    let origins = tenant?.origins ?? origins
    guard origins.indices.contains(Int(key.rawValue)) else { return nil }
    let origin = origins[Int(key.rawValue)]
    return origin.isKnown ? origin : nil
  }

  /// Returns the value of `key` in canonical form, in a tenant, or in `[project]` if `tenant` is
  /// nil. Returns nil if a tenant does not set it, or if `[project]` has no issuer, no
  /// `offer_until` day or no `remember_services`.
  package func value(of key: Key, in tenant: Tenant? = nil) -> [UInt8]? {
    (tenant?.values ?? project.values).printed(key)
  }

  /// Returns the file and line as `FILE:LINE`.
  package func place(of origin: Origin) -> [UInt8] {
    guard files.indices.contains(Int(origin.file)) else { return [] }
    return files[Int(origin.file)] + Array(":\(origin.line)".utf8)
  }
}
