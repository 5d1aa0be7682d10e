/// The methods that one group of hosts offers a user for some services.
package struct OfflineRule: Equatable, Sendable {
  /// The services; nil for all.
  package let services: [[UInt8]]?
  /// The methods.
  package let methods: OfflineMethods
  /// For how long a sign-in is remembered, in seconds.
  package let rememberedSeconds: Int64

  /// The largest number of services, each of at most 255 bytes.
  package static let mostServices = 64

  /// Creates a rule.
  package init(services: [[UInt8]]?, methods: OfflineMethods, rememberedSeconds: Int64) {
    self.services = services
    self.methods = methods
    self.rememberedSeconds = rememberedSeconds
  }
}
