/// The settings for one-time codes and codes by text message, as Identity Platform writes them in the bodies of REST calls and
/// in the objects of its Admin SDK. The body for a project is, for example:
/// `{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]}}`
///
/// MUST 1: a member without a counterpart in this software is refused by name, unless it is
/// switched off. (`IdentityPlatformTests`)
package struct IdentityPlatform: Equatable {
  /// Why a text was refused.
  package struct Refusal: Error, Equatable {
    /// The member, and why it was refused.
    package let text: String

    init(_ place: String, _ reason: String) { self.init("\(place): \(reason)") }

    init(_ reason: String) {
      // Escape the text as bytes, so that line feeds are escaped too.
      text = VisibleText.escaping(Array(reason.utf8))
    }
  }

  /// Whether codes of an authenticator app are required.
  let isEnabled: Bool
  /// Whether codes by text message are required; nil if the settings do not mention them. Then they
  /// are not required.
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
    isEnabled: Bool, adjacentIntervals: UInt8, form: IdentityPlatformForm = .standard,
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
  /// write it.
  package init(_ text: [UInt8], isTenant: Bool) throws(Refusal) {
    let json: JSON
    do throws(JSONReader.Refusal) {
      let allowed = IdentityPlatformReading.allowed
      json = try JSONReader.value(
        of: try ObjectLiteral.json(text, allowed: allowed), allowed: allowed)
    } catch {
      throw Refusal(error.reason)
    }
    var reading = try IdentityPlatformReading(json, isTenant: isTenant)
    self = try reading.settings()
  }
}
