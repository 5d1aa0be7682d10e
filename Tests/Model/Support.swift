import MFABase
import MFAModel

/// Returns the configuration of `text`.
func parse(_ text: String) throws(ConfigurationError) -> Configuration {
  try Configuration.parse(Array(text.utf8).span)
}

/// Returns the error with which `text` is refused, or nil if it is accepted.
func configurationRefusal(of text: [UInt8]) -> ConfigurationError? {
  do throws(ConfigurationError) {
    _ = try Configuration.parse(text.span)
    return nil
  } catch {
    return error
  }
}

/// Returns the excerpt of a text.
func excerpt(_ text: String) -> Excerpt {
  Excerpt(Array(text.utf8).span)
}

/// Returns the address in a text, or nil if the text is not an address.
func address(of text: String) -> IPAddress? {
  IPAddress(Array(text.utf8).span)
}

/// Returns `count` tenants of two lines each.
func manyTenants(_ count: Int) -> String {
  var text = ""
  for number in 0..<count { text += "[tenant t\(number)]\nusers = x\n" }
  return text
}

/// Returns bytes as text, for readable failures.
func readable(_ bytes: [UInt8]) -> String {
  String(decoding: bytes, as: UTF8.self)
}

/// A reproducible random number generator (SplitMix64).
struct FixedRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
