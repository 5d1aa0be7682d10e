import MFAModel

/// The phone numbers in Identity Platform settings: the regions to which text messages are sent, and
/// the test numbers. They are about the whole host.
///
/// MUST 1: a text is accepted only if mfa.conf accepts it as one entry. (`IdentityPlatformTests`)
struct IdentityPlatformNumbers {
  typealias Refusal = IdentityPlatform.Refusal

  /// The names of the members beside the root member.
  static var names: [String] { ["smsRegionConfig", "testPhoneNumbers", "signIn"] }

  /// The calling codes that are allowed; nil if there is no member.
  let regions: [String]?
  /// The test numbers with their codes, as in mfa.conf; nil if there is no member.
  let testNumbers: [String]?

  init(
    _ outer: JSONMembers, _ root: IdentityPlatformForm.Root, _ isTenant: Bool
  ) throws(Refusal) {
    if isTenant, let name = outer.names.first(where: { Self.names.contains($0) }) {
      throw Refusal(name, "is about the whole host here; leave --tenant out, or remove it")
    }
    regions = try outer["smsRegionConfig"].map { (json) throws(Refusal) in
      try Self.regions(try JSONMembers(json, at: "smsRegionConfig"))
    }
    let numbers: (json: JSON, place: String)?
    switch root {
    case .adminSDK: numbers = outer["testPhoneNumbers"].map { ($0, "testPhoneNumbers") }
    case .rest: numbers = try Self.signInNumbers(outer)
    }
    let other = root == .rest ? "testPhoneNumbers" : "signIn"
    guard outer[other] == nil else {
      throw Refusal(
        other,
        root == .rest
          ? "is a member of the Admin SDK; write signIn.phoneNumber.testPhoneNumbers"
          : "is a member of REST calls; write testPhoneNumbers")
    }
    testNumbers = try numbers.map { (numbers) throws(Refusal) in
      try Self.testNumbers(try JSONMembers(numbers.json, at: numbers.place))
    }
  }

  private static func signInNumbers(
    _ outer: JSONMembers
  ) throws(Refusal) -> (json: JSON, place: String)? {
    guard let json = outer["signIn"] else { return nil }
    let signIn = try JSONMembers(json, at: "signIn")
    try signIn.check(knowing: ["phoneNumber"])
    let place = signIn.path("phoneNumber")
    let phone = try JSONMembers(try signIn.required("phoneNumber"), at: place)
    try phone.check(knowing: ["testPhoneNumbers"])
    return (try phone.required("testPhoneNumbers"), phone.path("testPhoneNumbers"))
  }

  private static func regions(_ members: JSONMembers) throws(Refusal) -> [String] {
    guard members["allowByDefault"] == nil else {
      throw Refusal(
        members.path("allowByDefault"),
        "allows all numbers except some; here, regions lists those that are allowed: use "
          + "allowlistOnly")
    }
    try members.check(knowing: ["allowlistOnly"])
    let place = members.path("allowlistOnly")
    let list = try JSONMembers(try members.required("allowlistOnly"), at: place)
    try list.check(knowing: ["allowedRegions"])
    let name = list.path("allowedRegions")
    let values = try JSONMembers.array(try list.required("allowedRegions"), at: name)
    guard !values.isEmpty else {
      throw Refusal(name, "is empty, so that nothing is sent; remove regions from mfa.conf instead")
    }
    var regions: [String] = []
    for (index, value) in values.enumerated() {
      let place = "\(name)[\(index)]"
      guard case .string(let region) = value, Configuration.isRegion(Array(region.utf8).span) else {
        throw Refusal(
          place,
          "must be a calling code such as +33, not \(JSONMembers.shown(value)): several regions can "
            + "share a calling code, and only calling codes are compared")
      }
      try JSONMembers.checkIsNew(value, in: Array(values[..<index]), at: place)
      regions.append(region)
    }
    try checkLength(of: regions, as: .regions, at: name)
    return regions
  }

  private static func testNumbers(_ members: JSONMembers) throws(Refusal) -> [String] {
    guard !members.all.isEmpty else {
      throw Refusal(members.place, "is empty; remove phone_test_numbers from mfa.conf instead")
    }
    guard members.all.count <= Configuration.maximumTestNumbers else {
      throw Refusal(
        members.place,
        "must have at most \(Configuration.maximumTestNumbers) numbers, not \(members.all.count)")
    }
    var numbers: [String] = []
    for (number, value) in members.all {
      guard Configuration.isTestNumber(Array(number.utf8).span) else {
        throw Refusal(
          members.path(number),
          "the name must be a phone number such as +15105551234, with 8 to 15 digits")
      }
      guard case .string(let code) = value, Configuration.isTestCode(Array(code.utf8).span) else {
        throw Refusal(
          members.path(number), "must be a string of six digits, not \(JSONMembers.shown(value))")
      }
      numbers.append("\(number)=\(code)")
    }
    return numbers
  }

  /// Throws if a list does not fit a line of mfa.conf.
  private static func checkLength(
    of list: [String], as key: Configuration.Key, at place: String
  ) throws(Refusal) {
    let limit = Configuration.maximumLineLength
    guard IdentityPlatform.line(key, list).utf8.count > limit else { return }
    throw Refusal(
      place, "is longer than a line of mfa.conf, which has at most \(limit) bytes")
  }
}
