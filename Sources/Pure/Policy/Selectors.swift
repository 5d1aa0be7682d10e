import MFABytes
/// The selectors of a tenant. A sign-in matches if it matches every list that is not empty.
struct Selectors: Equatable, Sendable {
  var users: [[UInt8]] = []
  var groups: [[UInt8]] = []
  var services: [[UInt8]] = []
  var networks: [Network] = []

  /// Whether there is no selector.
  var isEmpty: Bool {
    users.isEmpty && groups.isEmpty && services.isEmpty && networks.isEmpty
  }

  /// Returns whether the selectors match `subject`. Groups are checked last, because only they need
  /// an expensive lookup.
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

  /// Returns the list of `key` in canonical form, or nil if it is empty or `key` is not a selector.
  func printed(_ key: Configuration.Key) -> [UInt8]? {
    var list: [[UInt8]] = []
    if key == .users { list = users }
    if key == .groups { list = groups }
    if key == .services { list = services }
    if key == .networks { list = networks.map { $0.text } }
    return list.isEmpty ? nil : Array(list.joined(separator: ", ".utf8))
  }
}
