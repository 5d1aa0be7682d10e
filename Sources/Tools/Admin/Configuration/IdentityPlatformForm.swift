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

  /// Returns the header of a tenant's section, or of the project's.
  static func header(tenant: [UInt8]?) -> [UInt8] {
    guard let tenant else { return Array("[project]".utf8) }
    return Array("[tenant ".utf8) + tenant + Array("]".utf8)
  }
}
