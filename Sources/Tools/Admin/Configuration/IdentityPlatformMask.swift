/// The fields of Identity Platform settings that a file changes, from the parameter `updateMask` of REST calls.
package struct IdentityPlatformMask: Equatable, Sendable {
  /// A field whose settings are changed on their own.
  enum Field: CaseIterable {
    /// The state beside `providerConfigs`.
    case state
    /// The list of factors other than providers.
    case list
    /// `providerConfigs`
    case entries
    /// `smsRegionConfig`
    case regions
    /// The test numbers.
    case testNumbers
  }

  /// The fields that the mask covers.
  let fields: Set<Field>
  /// Whether the mask is about a tenant.
  private let isTenant: Bool

  /// Whether the mask covers all settings of multi-factor authentication. Then the file replaces them, as it does
  /// without a mask.
  var isWhole: Bool { fields.isSuperset(of: [.state, .list, .entries]) }

  /// Whether the mask covers some settings of multi-factor authentication.
  var isAboutFactors: Bool { !fields.isDisjoint(with: [.state, .list, .entries]) }

  /// Reads a list such as `mfa.state,mfa.enabledProviders`, or as URLs have it, such as `updateMask=mfa`.
  package init(_ text: String, isTenant: Bool) throws(AdminError) {
    let known = Self.known(isTenant: isTenant)
    let list = text.replacing("%2C", with: ",")
      .trimmingPrefix(/[?&]?update(?:M|_m)ask=/)
    var fields: Set<Field> = []
    for part in list.split(separator: ",", omittingEmptySubsequences: false) {
      let path = part.split(separator: ".", omittingEmptySubsequences: false)
        .map { JSONMembers.camelCase(String($0.filter { $0 != " " })) }.joined(separator: ".")
      guard let covered = known.first(where: { $0.path == path })?.fields else {
        throw AdminError(
          at: "",
          "there is no field \"\(VisibleText.escaping(Array(String(part.prefix(64)).utf8)))\" "
            + "\(isTenant ? "of a tenant" : "of a project"); the fields are "
            + known.map(\.path).joined(separator: ", "))
      }
      fields.formUnion(covered)
    }
    self.fields = fields
    self.isTenant = isTenant
  }

  /// The paths of fields, and what each covers.
  private static func known(isTenant: Bool) -> [(path: String, fields: Set<Field>)] {
    let root = isTenant ? "mfaConfig" : "mfa"
    let factors: [(path: String, fields: Set<Field>)] = [
      (root, [.state, .list, .entries]), ("\(root).state", [.state]),
      ("\(root).enabledProviders", [.list]), ("\(root).providerConfigs", [.entries]),
    ]
    guard !isTenant else { return factors }
    return factors + [
      ("smsRegionConfig", [.regions]), ("smsRegionConfig.allowlistOnly", [.regions]),
      ("smsRegionConfig.allowlistOnly.allowedRegions", [.regions]),
      ("signIn.phoneNumber", [.testNumbers]),
      ("signIn.phoneNumber.testPhoneNumbers", [.testNumbers]),
    ]
  }

  /// Returns members without those that the mask does not cover, and their places.
  func covered(_ members: JSONMembers) -> (members: JSONMembers, ignored: [String]) {
    let names: [(name: String, field: Field)] = [
      ("state", .state), ("enabledProviders", .list), ("providerConfigs", .entries),
      ("smsRegionConfig", .regions), ("signIn", .testNumbers),
    ]
    let outside = names.filter { members[$0.name] != nil && !fields.contains($0.field) }
      .map(\.name)
    return (
      members.without(outside),
      outside.map { "\(members.path($0)), which the update mask does not cover" }
    )
  }
}
