/// The selectors of a tenant. A sign-in matches if it matches every list that is not empty.
struct Selectors {
  let users: [[UInt8]]
  let groups: [[UInt8]]
  let services: [[UInt8]]
  let networks: [Network]

  /// Creates the selectors among the values of a section.
  @inline(never)
  init(_ values: KeyValues) {
    users = values.texts(.users)
    groups = values.texts(.groups)
    services = values.texts(.services)
    networks = values.networks(.networks)
  }

  /// Whether there is no selector.
  var isEmpty: Bool {
    users.isEmpty && groups.isEmpty && services.isEmpty && networks.isEmpty
  }

  /// Returns whether the selectors match `subject`. Groups are checked last, because only they need
  /// an expensive lookup.
  @inline(never)
  func match(_ subject: Subject) -> Tenant.Match {
    guard users.isEmpty || users.contains(subject.user),
      services.isEmpty || services.contains(subject.service)
    else { return .no }
    var match = Tenant.Match.yes
    if !networks.isEmpty {
      if let address = subject.address {
        guard networks.contains(where: { $0.contains(address) }) else { return .no }
      } else {
        match = .unknown
      }
    }
    guard !groups.isEmpty else { return match }
    var membership = Tenant.Match.no
    for group in groups {
      guard let isMember = subject.isMember(group) else {
        membership = .unknown
        continue
      }
      if isMember { return match }
    }
    return membership
  }
}
