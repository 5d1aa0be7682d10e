/// The metadata of requests and their answers.
package enum HostMetadata {
  /// The name of the metadata of a check that tells the version of the relay.
  package static let version = "mfa-version"
  /// The name of the metadata of a refused report that tells after how many seconds the host may report again.
  package static let retryAfter = "mfa-retry-after"
}
