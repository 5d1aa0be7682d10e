import MFAModel

/// The form in which Identity Platform settings were applied, which `config show --json` uses again.
///
/// MUST 1: settings that are printed in a form read back with the same form.
/// (`IdentityPlatformFormTests`)
package struct IdentityPlatformForm: Equatable, Sendable {
  /// The outermost member.
  enum Root: CaseIterable {
    /// `mfa` for a project, or `mfaConfig` for a tenant: the bodies of REST calls.
    case rest
    /// `multiFactorConfig`: the objects of the Admin SDK.
    case adminSDK

    /// The name of the list of factors other than providers.
    var listName: String { self == .rest ? "enabledProviders" : "factorIds" }
    /// The factor for text messages in that list.
    var phoneName: String { self == .rest ? "PHONE_SMS" : "phone" }
  }

  /// Where the state is.
  enum StatePlace: CaseIterable {
    /// In the entry of `providerConfigs`.
    case entry
    /// Beside `providerConfigs`.
    case outer
    /// In both places.
    case both
    /// Beside `totpProviderConfig`, without `providerConfigs`.
    case withoutEntries
    /// There are neither `providerConfigs` nor `totpProviderConfig`. The state is about text messages
    /// if they are listed, and otherwise about TOTP.
    case noEntry
    /// The list `providerConfigs` is empty, and TOTP is disabled.
    case emptyEntries
  }

  /// How `adjacentIntervals` is written.
  enum Intervals: CaseIterable {
    case number
    /// As protocol buffers write a number of 64 bits.
    case string
    /// There is no such member. The number is that of Identity Platform.
    case absent
  }

  /// Whether there is a list of factors other than providers: `enabledProviders` or `factorIds`.
  enum TextMessages: CaseIterable {
    /// There is no list.
    case absent
    /// The list is empty.
    case empty
    /// The list has the factor for text messages.
    case listed
  }

  /// The form of settings that were not applied from JSON.
  static var standard: IdentityPlatformForm {
    IdentityPlatformForm(root: .rest, statePlace: .entry, intervals: .number)
  }

  init(
    root: Root, statePlace: StatePlace, intervals: Intervals, textMessages: TextMessages = .absent
  ) {
    self.root = root
    self.statePlace = statePlace
    self.intervals = intervals
    self.textMessages = textMessages
  }

  let root: Root
  let statePlace: StatePlace
  let intervals: Intervals
  /// Whether there is a list of factors other than providers.
  let textMessages: TextMessages

  /// Whether there is no `totpProviderConfig`, and no state that is about TOTP.
  var lacksEntry: Bool {
    statePlace == .emptyEntries || statePlace == .noEntry && textMessages == .listed
  }

  /// All forms. In the body of a REST call, the settings of TOTP are always in `providerConfigs`.
  static var all: [IdentityPlatformForm] {
    Root.allCases.flatMap { root in
      TextMessages.allCases.flatMap { messages in
        StatePlace.allCases.filter { place in
          switch place {
          case .entry, .outer, .noEntry, .emptyEntries: true
          case .both: messages != .listed
          case .withoutEntries: root == .adminSDK
          }
        }.flatMap { place in
          // Without an entry, there is no number.
          Intervals.allCases.filter {
            $0 == .absent || place != .noEntry && place != .emptyEntries
          }.map {
            IdentityPlatformForm(
              root: root, statePlace: place, intervals: $0, textMessages: messages)
          }
        }
      }
    }
  }

  /// Returns the name of the outermost member.
  func rootName(isTenant: Bool) -> String {
    switch root {
    case .rest: isTenant ? "mfaConfig" : "mfa"
    case .adminSDK: "multiFactorConfig"
    }
  }

  /// The line that records the form in a section of the drop-in; nil for the standard form.
  var comment: [UInt8]? {
    guard self != .standard else { return nil }
    let state =
      switch statePlace {
      case .entry: "state in providerConfigs"
      case .outer: "state beside providerConfigs"
      case .both: "state beside and in providerConfigs"
      case .withoutEntries: "state without providerConfigs"
      case .noEntry: "state without totpProviderConfig"
      case .emptyEntries: "state beside empty providerConfigs"
      }
    let root =
      switch root {
      case .rest: "REST"
      case .adminSDK: "Admin SDK"
      }
    let number =
      switch intervals {
      case .number: "adjacentIntervals as number"
      case .string: "adjacentIntervals as string"
      case .absent: "no adjacentIntervals"
      }
    let messages =
      switch textMessages {
      case .absent: ""
      case .empty: ", \(self.root.listName) empty"
      case .listed: ", \(self.root.listName)"
      }
    return Array("# JSON form: \(root), \(state), \(number)\(messages)".utf8)
  }

  // MARK: Drop-in

  /// Returns the forms recorded in a drop-in, by the headers of their sections.
  static func recorded(in text: [UInt8]) -> [[UInt8]: IdentityPlatformForm] {
    var forms: [[UInt8]: IdentityPlatformForm] = [:]
    var header: [UInt8] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let line = Array(line)
      if line.first == UInt8(ascii: "[") {
        header = line
      } else if let form = all.first(where: { $0.comment == line }) {
        forms[header] = form
      }
    }
    return forms
  }

  /// Returns the text of a drop-in with the forms recorded in its sections.
  static func recording(
    _ forms: [[UInt8]: IdentityPlatformForm], in text: [UInt8]
  ) -> [UInt8] {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return Array(
      lines.map { line in
        let line = Array(line)
        guard let comment = forms[line]?.comment else { return line }
        return line + [UInt8(ascii: "\n")] + comment
      }.joined(separator: [UInt8(ascii: "\n")]))
  }
}

/// The phone numbers in Identity Platform settings: the regions to which text messages are sent, and
/// the test numbers. They are about the whole host.
///
/// MUST 1: a text is accepted only if mfa.conf accepts it as one entry. (`IdentityPlatformTests`)
struct IdentityPlatformNumbers {
  /// The names of the members beside the root member.
  static var names: [String] { ["smsRegionConfig", "testPhoneNumbers", "signIn"] }

  /// The calling codes that are allowed; nil if there is no member.
  let regions: [String]?
  /// The test numbers with their codes, as in mfa.conf; nil if there is no member.
  let testNumbers: [String]?

  init(
    _ outer: JSONMembers, _ root: IdentityPlatformForm.Root, _ isTenant: Bool
  ) throws(AdminError) {
    if isTenant, let name = outer.names.first(where: { Self.names.contains($0) }) {
      throw AdminError(at: name, "is about the whole host here; leave --tenant out, or remove it")
    }
    regions = try outer["smsRegionConfig"].map { (json) throws(AdminError) in
      try Self.regions(try JSONMembers(json, at: "smsRegionConfig"))
    }
    let numbers: (json: JSON, place: String)?
    switch root {
    case .adminSDK: numbers = outer["testPhoneNumbers"].map { ($0, "testPhoneNumbers") }
    case .rest: numbers = try Self.signInNumbers(outer)
    }
    let other = root == .rest ? "testPhoneNumbers" : "signIn"
    guard outer[other] == nil else {
      throw AdminError(
        at: other,
        root == .rest
          ? "is a member of the Admin SDK; write signIn.phoneNumber.testPhoneNumbers"
          : "is a member of REST calls; write testPhoneNumbers")
    }
    testNumbers = try numbers.map { (numbers) throws(AdminError) in
      try Self.testNumbers(try JSONMembers(numbers.json, at: numbers.place))
    }
  }

  private static func signInNumbers(
    _ outer: JSONMembers
  ) throws(AdminError) -> (json: JSON, place: String)? {
    guard let json = outer["signIn"] else { return nil }
    let signIn = try JSONMembers(json, at: "signIn")
    try signIn.check(knowing: ["phoneNumber"])
    let place = signIn.path("phoneNumber")
    let phone = try JSONMembers(try signIn.required("phoneNumber"), at: place)
    try phone.check(knowing: ["testPhoneNumbers"])
    return (try phone.required("testPhoneNumbers"), phone.path("testPhoneNumbers"))
  }

  private static func regions(_ members: JSONMembers) throws(AdminError) -> [String] {
    guard members["allowByDefault"] == nil else {
      throw AdminError(
        at: members.path("allowByDefault"),
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
      throw AdminError(
        at: name, "is empty, so that nothing is sent; remove regions from mfa.conf instead")
    }
    var regions: [String] = []
    for (index, value) in values.enumerated() {
      let place = "\(name)[\(index)]"
      guard case .string(let region) = value, Configuration.isRegion(Array(region.utf8).span) else {
        throw AdminError(
          at: place,
          "must be a calling code such as +33, not \(JSONMembers.shown(value)): several regions can "
            + "share a calling code, and only calling codes are compared")
      }
      try JSONMembers.checkIsNew(value, in: Array(values[..<index]), at: place)
      regions.append(region)
    }
    try checkLength(of: regions, as: .regions, at: name)
    return regions
  }

  private static func testNumbers(_ members: JSONMembers) throws(AdminError) -> [String] {
    guard !members.all.isEmpty else {
      throw AdminError(
        at: members.place, "is empty; remove phone_test_numbers from mfa.conf instead")
    }
    guard members.all.count <= Configuration.maximumTestNumbers else {
      throw AdminError(
        at: members.place,
        "must have at most \(Configuration.maximumTestNumbers) numbers, not \(members.all.count)")
    }
    var numbers: [String] = []
    for (number, value) in members.all {
      guard Configuration.isTestNumber(Array(number.utf8).span) else {
        throw AdminError(
          at: members.path(number),
          "the name must be a phone number such as +15105551234, with 8 to 15 digits")
      }
      guard case .string(let code) = value, Configuration.isTestCode(Array(code.utf8).span) else {
        throw AdminError(
          at: members.path(number),
          "must be a string of six digits, not \(JSONMembers.shown(value))")
      }
      numbers.append("\(number)=\(code)")
    }
    return numbers
  }

  /// Throws if a list does not fit a line of mfa.conf.
  private static func checkLength(
    of list: [String], as key: Configuration.Key, at place: String
  ) throws(AdminError) {
    let limit = Configuration.maximumLineLength
    guard IdentityPlatform.line(key, list).utf8.count > limit else { return }
    throw AdminError(
      at: place, "is longer than a line of mfa.conf, which has at most \(limit) bytes")
  }
}
