import MFABytes
import MFAFactors

extension Configuration {
  /// The keys of all sections, in the order in which they are printed.
  public enum Key: UInt8, CaseIterable, Sendable {
    case users
    case groups
    case services
    case networks
    case state
    case adjacentIntervals
    case issuer
    case enrollment
    case offerSignIns
    case offerUntil
    case promptHints
    case endSessionsOnUnenroll
    case remember
    case rememberServices
    case freshFor
    case throttleAfter
    case throttleFirstWait
    case throttleLongestWait
    case disableAfter

    /// The name of the key in the file.
    public var name: String {
      switch self {
      case .users: "users"
      case .groups: "groups"
      case .services: "services"
      case .networks: "networks"
      case .state: "state"
      case .adjacentIntervals: "adjacent_intervals"
      case .issuer: "issuer"
      case .enrollment: "enrollment"
      case .offerSignIns: "offer_sign_ins"
      case .offerUntil: "offer_until"
      case .promptHints: "prompt_hints"
      case .endSessionsOnUnenroll: "end_sessions_on_unenroll"
      case .remember: "remember"
      case .rememberServices: "remember_services"
      case .freshFor: "fresh_for"
      case .throttleAfter: "throttle_after"
      case .throttleFirstWait: "throttle_first_wait"
      case .throttleLongestWait: "throttle_longest_wait"
      case .disableAfter: "disable_after"
      }
    }

    /// Whether the key selects the sign-ins that a tenant applies to. Such keys are allowed only in
    /// `[tenant NAME]`.
    var isSelector: Bool { rawValue <= Key.networks.rawValue }

    /// Returns whether the key is allowed in this type of section.
    func belongs(to section: Section) -> Bool {
      switch section {
      case .project: !isSelector
      case .tenant: self != .issuer && self != .endSessionsOnUnenroll
      }
    }

    /// The accepted values, phrased to follow "must be".
    public var allowedValues: String {
      switch self {
      case .users, .groups:
        "names with commas between them, each once, without patterns"
      case .services, .rememberServices:
        "names of PAM services in lower case, with commas between them, each once"
      case .networks:
        "networks such as 192.0.2.0/24 and 2001:db8::/32, with commas between them, each once"
      case .state:
        "enabled, disabled or observe"
      case .adjacentIntervals:
        wholeNumber(Self.wide(Settings.adjacentIntervalsRange))
      case .issuer:
        joined(
          "a name of 1 to ", decimal(Int64(DisplayName.maximumLength)),
          " characters, without colons and invisible characters")
      case .enrollment:
        "self-service, offered or required"
      case .offerSignIns:
        wholeNumber(Self.wide(Settings.Offer.signInsRange))
      case .offerUntil:
        "a day such as 2027-01-31"
      case .promptHints, .endSessionsOnUnenroll:
        "on or off"
      case .remember:
        "off, or a whole number with s, m or h behind it, from 1s to 720h"
      case .freshFor:
        "off, or a whole number with s, m or h behind it, from 1s to 24h"
      case .throttleAfter, .disableAfter:
        wholeNumber(Self.wide(ThrottlePolicy.failureRange))
      case .throttleFirstWait, .throttleLongestWait:
        "a whole number with s, m or h behind it, from 1s to 24h"
      }
    }

    private func wholeNumber(_ range: ClosedRange<Int64>) -> String {
      joined(
        joined("a whole number from ", decimal(range.lowerBound), " to "), decimal(range.upperBound)
      )
    }

    private static func wide(_ range: ClosedRange<some FixedWidthInteger>) -> ClosedRange<Int64> {
      Int64(truncatingIfNeeded: range.lowerBound)...Int64(truncatingIfNeeded: range.upperBound)
    }
  }
}
