import MFAModel
import MFABase
import MFAStore
import Synchronization

/// The secret of the RFCs' examples, and its codes.
package enum KnownFactor {
  /// RFC 6238, appendix B: "12345678901234567890".
  package static let secret = Array("12345678901234567890".utf8)

  /// Returns the correct code, as typed, `steps` time steps after `time`.
  package static func code(
    at time: Int64, steps: Int64 = 0, parameters: TOTPParameters = .standard,
    secret: [UInt8] = KnownFactor.secret
  ) throws -> String {
    var hotp = try HOTP(secret: secret.span, algorithm: parameters.algorithm)
    let step = parameters.step(at: time) + steps
    let code = try hotp.code(at: UInt64(bitPattern: step), digits: parameters.codeLength)
    let digits = String(code.value)
    let padding = Int(code.length.rawValue) - digits.count
    return String(repeating: "0", count: padding) + digits
  }

  /// Returns a code of six digits that is wrong in the whole window around `time`. It is another one in
  /// each call, because the same answer again is not counted.
  package static func wrongCode(at time: Int64) throws -> String {
    let right = Set(try (-10...10).map { try code(at: time, steps: $0) })
    while true {
      let number = number.withLock { number in
        number = (number + 7919) % 1_000_000
        return number
      }
      let digits = String(number)
      let code = String(repeating: "0", count: 6 - digits.count) + digits
      if !right.contains(code) { return code }
    }
  }

  private static let number = Mutex(0)
}
