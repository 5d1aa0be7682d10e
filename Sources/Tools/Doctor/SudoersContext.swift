/// What the evaluation of a policy depends on, besides the policy.
package struct SudoersContext {
  package let host: SudoersHost
  package let version: SudoVersion
  /// The time as `YYYYMMDDHHMMSSZ`, or nil if it is not known.
  package let time: String?

  package init(host: SudoersHost, version: SudoVersion, time: String?) {
    self.host = host
    self.version = version
    self.time = time
  }
}
