import MFAModel

/// The settings for one-time codes and codes by text message, as Identity Platform writes them in the bodies of REST calls and
/// in the objects of its Admin SDK. The body for a project is, for example:
/// `{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}`
///
/// MUST 1: a member without a counterpart in this software is refused by name, unless it is
/// switched off. (`IdentityPlatformTests`)
package struct IdentityPlatform: Equatable {
  /// Whether codes of an authenticator app are required; nil if an object of the Admin SDK does not
  /// mention them.
  let isEnabled: Bool?
  /// Whether codes by text message are required; nil if the settings do not mention them.
  let isPhoneEnabled: Bool?
  /// The calling codes of the numbers to which text messages are sent; nil if the settings do not
  /// name them.
  let regions: [String]?
  /// The test numbers with their codes, as in mfa.conf; nil if the settings do not name them.
  let testNumbers: [String]?
  /// The number of time steps that Identity Platform uses if none is given.
  static let standardIntervals: UInt8 = 5

  /// The number of time steps before and after the current one whose codes are accepted.
  package let adjacentIntervals: UInt8
  /// The form in which the settings are printed as JSON.
  package let form: IdentityPlatformForm
  /// The name of the member that lists factors other than providers, such as phones.
  package var listName: String { form.root.listName }
  /// Descriptions of the members that were ignored, with the reasons.
  package let ignored: [String]
  /// What was read in another way than it is written, each in words.
  package var notes: [String] = []
  /// What is changed if an update mask covers only some of the settings.
  var partial: IdentityPlatformChange?
  /// The settings about phone numbers that get their defaults, because an update mask covers them and the file
  /// lacks them.
  var resets: [Configuration.Key] = []

  /// The settings for text messages, each nil if it is not given.
  package struct Phone: Equatable {
    var isEnabled: Bool?
    var regions: [String]?
    var testNumbers: [String]?

    /// Creates settings.
    package init(
      isEnabled: Bool? = nil, regions: [String]? = nil, testNumbers: [String]? = nil
    ) {
      self.isEnabled = isEnabled
      self.regions = regions
      self.testNumbers = testNumbers
    }
  }

  /// Creates settings.
  package init(
    isEnabled: Bool?, adjacentIntervals: UInt8, form: IdentityPlatformForm = .standard,
    ignored: [String] = [], phone: Phone = Phone()
  ) {
    self.isEnabled = isEnabled
    isPhoneEnabled = phone.isEnabled
    regions = phone.regions
    testNumbers = phone.testNumbers
    self.adjacentIntervals = adjacentIntervals
    self.form = form
    self.ignored = ignored
  }

  /// Reads the text of a project's or a tenant's settings: JSON, or an object as JavaScript programs
  /// write it. With an update mask, only what it covers is read.
  ///
  /// An error has the member and why it was refused, or only what is wrong with the whole text.
  package init(
    _ text: [UInt8], isTenant: Bool, mask: IdentityPlatformMask? = nil
  ) throws(AdminError) {
    let allowed = IdentityPlatformReading.allowed
    let (json, notes) = try ObjectLiteral.rewriting(text, allowed: allowed)
    var reading = try IdentityPlatformReading(
      try JSONReader.value(of: json, allowed: allowed), isTenant: isTenant, mask)
    self = try reading.settings()
    self.notes = notes + self.notes
  }
}

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
    let isEnabled = isEnabled ?? false
    let state = ("state", JSON.string(isEnabled ? "ENABLED" : "DISABLED"))
    let totp = ("totpProviderConfig", JSON.object(intervals))
    let isPhoneEnabled = isPhoneEnabled == true
    let isListed = isPhoneEnabled || self.isPhoneEnabled != nil && form.textMessages == .listed
    let listed = JSON.array(isListed ? [.string(form.root.phoneName)] : [])
    let list = self.isPhoneEnabled == nil ? [] : [(name: form.root.listName, value: listed)]
    let empty = [(name: "providerConfigs", value: JSON.array([]))]
    // Without an entry, TOTP has no number. In an object of the Admin SDK, the state beside a list is not about TOTP.
    let needsNoEntry =
      adjacentIntervals == Self.standardIntervals
      && (form.root == .rest || self.isPhoneEnabled == nil || !isEnabled)
    guard isListed else {
      return switch form.statePlace {
      case .noEntry where needsNoEntry: [state] + list
      case .emptyEntries where needsNoEntry && !isEnabled: [state] + list + empty
      case .entry: list + [("providerConfigs", .array([.object([state, totp])]))]
      case .outer, .noEntry, .emptyEntries:
        [state] + list + [("providerConfigs", .array([.object([totp])]))]
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
    case .noEntry where needsNoEntry && !isEnabled: [outer] + list
    case .emptyEntries where needsNoEntry && !isEnabled: [outer] + list + empty
    case .entry, .both, .outer, .withoutEntries, .noEntry, .emptyEntries:
      [outer] + list + [("providerConfigs", .array([.object([state, totp])]))]
    }
  }

  /// The members of `totpProviderConfig`.
  private var intervals: [(name: String, value: JSON)] {
    switch form.intervals {
    case .absent where adjacentIntervals == Self.standardIntervals: []
    case .string: [("adjacentIntervals", .string(String(adjacentIntervals)))]
    case .number, .absent: [("adjacentIntervals", .number(Int64(adjacentIntervals)))]
    }
  }
}
