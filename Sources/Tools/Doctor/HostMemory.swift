import MFAAttempt
import MFAModel
import MFABase

/// What has been asked of a host before, for predictions of many sign-ins at about the same time.
final class HostMemory {
  private struct Membership: Hashable {
    let user: [UInt8]
    let group: [UInt8]
  }

  private var memberships: [Membership: Bool?] = [:]
  private var configurations: [[UInt8]?: Result<Configuration, ConfigurationFile.Failure>] = [:]

  /// Returns whether an account belongs to a group. `lookUp` is called at most once for both.
  func isMember(_ account: Account, of group: [UInt8], _ lookUp: () -> Bool?) -> Bool? {
    let membership = Membership(user: account.name, group: group)
    if let known = memberships[membership] { return known }
    let answer = lookUp()
    memberships.updateValue(answer, forKey: membership)
    return answer
  }

  /// Returns the configuration at a path. `read` is called at most once for each path.
  func configuration(
    at path: [UInt8]?, _ read: () throws(ConfigurationFile.Failure) -> Configuration
  ) throws(ConfigurationFile.Failure) -> Configuration {
    if let known = configurations[path] { return try known.get() }
    let configuration = Result { () throws(ConfigurationFile.Failure) in try read() }
    configurations[path] = configuration
    return try configuration.get()
  }
}
