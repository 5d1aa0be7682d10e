import MFAAdminOutput

extension IdentityPlatform {
  /// Returns the settings as the JSON of a project or a tenant.
  package func json(isTenant: Bool) -> JSON {
    .object([(form.rootName(isTenant: isTenant), .object(members))] + phoneMembers)
  }

  /// The members beside the root member. They are about the whole host.
  private var phoneMembers: [(name: String, value: JSON)] {
    var members: [(name: String, value: JSON)] = []
    if let regions {
      members.append(
        (
          "smsRegionConfig",
          .object([
            (
              "allowlistOnly",
              .object([("allowedRegions", .array(regions.map { .string($0) }))])
            )
          ])
        ))
    }
    if let testNumbers {
      let numbers = JSON.object(
        testNumbers.map { entry in
          let parts = entry.split(separator: "=").map(String.init)
          return (parts.first ?? "", .string(parts.last ?? ""))
        })
      let member = (name: "testPhoneNumbers", value: numbers)
      members.append(
        form.root == .rest
          ? ("signIn", .object([("phoneNumber", .object([member]))])) : member)
    }
    return members
  }

  private var members: [(name: String, value: JSON)] {
    let intervals =
      form.isQuoted ? JSON.string(String(adjacentIntervals)) : .number(Int64(adjacentIntervals))
    let state = ("state", JSON.string(isEnabled ? "ENABLED" : "DISABLED"))
    let totp = ("totpProviderConfig", JSON.object([("adjacentIntervals", intervals)]))
    let isPhoneEnabled = isPhoneEnabled == true
    let isListed = isPhoneEnabled || self.isPhoneEnabled != nil && form.textMessages == .listed
    let listed = JSON.array(isListed ? [.string(form.phoneName)] : [])
    let list = self.isPhoneEnabled == nil ? [] : [(name: form.listName, value: listed)]
    guard isListed else {
      return switch form.statePlace {
      case .entry, .noEntry: list + [("providerConfigs", .array([.object([state, totp])]))]
      case .outer: [state] + list + [("providerConfigs", .array([.object([totp])]))]
      case .both: [state] + list + [("providerConfigs", .array([.object([state, totp])]))]
      case .withoutEntries: [state] + list + [totp]
      }
    }
    let outer = ("state", JSON.string(isPhoneEnabled ? "ENABLED" : "DISABLED"))
    // One state for both types of factors is possible only if it is the same.
    return switch form.statePlace {
    case .outer where isEnabled == isPhoneEnabled:
      [outer] + list + [("providerConfigs", .array([.object([totp])]))]
    case .withoutEntries where isEnabled == isPhoneEnabled: [outer] + list + [totp]
    case .noEntry where !isEnabled: [outer] + list
    case .entry, .both, .outer, .withoutEntries, .noEntry:
      [outer] + list + [("providerConfigs", .array([.object([state, totp])]))]
    }
  }

  /// The types of factors that are required, as in mfa.conf; nil if that is not said, or if none is.
  private var factors: String? {
    guard let isPhoneEnabled else { return nil }
    return switch (isEnabled, isPhoneEnabled) {
    case (true, true): "totp, phone"
    case (true, false): "totp"
    case (false, true): "phone"
    case (false, false): nil
    }
  }

  /// Returns the equivalent section of mfa.conf(5).
  package func section(tenant: [UInt8]?) -> [UInt8] {
    let isRequired = isEnabled || isPhoneEnabled == true
    var lines = [
      "", "state = \(isRequired ? "enabled" : "disabled")",
      "adjacent_intervals = \(adjacentIntervals)",
    ]
    if let factors { lines.append("factors = \(factors)") }
    if let regions { lines.append("regions = \(regions.joined(separator: ", "))") }
    if let testNumbers {
      lines.append("phone_test_numbers = \(testNumbers.joined(separator: ", "))")
    }
    return IdentityPlatformForm.header(tenant: tenant)
      + Array((lines.joined(separator: "\n") + "\n").utf8)
  }
}
