/// The value of a configuration key. `ConfigurationValueType` parses and prints it.
enum ConfigurationValue: Equatable, Sendable {
  /// A number, a duration in seconds, the end of a day in seconds since 1970-01-01 00:00 UTC, or
  /// the number of a word.
  case number(Int64)
  /// A list of names. An issuer is a list of one name.
  case texts([[UInt8]])
  /// A list of networks.
  case networks([Network])
}
