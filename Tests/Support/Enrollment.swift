import Foundation

/// An enrolled factor as the user has it, in an authenticator app.
package struct Enrollment: Sendable {
  /// The authenticator app.
  package let phone: Authenticator

  /// The display name that the user gave the factor.
  package let displayName: String

  /// The factor's identifier, 16 bytes.
  package let identifier: [UInt8]

  /// The factor's identifier in hexadecimal, as it appears in log lines.
  package var factor: String { identifier.map { Base16.text($0) }.joined() }

  /// The offset of the time step whose code confirmed the enrolment. That code is used; the codes
  /// of later steps are not.
  package static let confirmingOffset = -5
}

extension Machine {
  /// Enrols an app for a user through the installed helper.
  ///
  /// If the user already has a factor, `presentCode` is a code of that factor. The enrolment is
  /// confirmed with the code of the time step `offset` steps from the current one.
  package func enroll(
    _ user: MachineUser, named name: String = "phone",
    algorithm: Authenticator.Algorithm = .sha1, digits: Int = 6, period: Int = 30,
    presentCode: String? = nil, confirmedAt offset: Int = Enrollment.confirmingOffset
  ) throws(HarnessFailure) -> Enrollment {
    let session = try HelperSession(as: user)
    func expect(_ message: HelperSession.Message?, _ kind: UInt8) throws(HarnessFailure)
      -> [[UInt8]]
    {
      guard let message, message.kind == kind else {
        throw HarnessFailure("enrolling \(user.name): \(String(describing: message))")
      }
      return message.fields
    }
    _ = try expect(try session.greet(), 0x81)
    _ = try expect(try session.prove(password: user.password, code: presentCode), 0x84)
    let number: UInt8
    switch algorithm {
    case .sha1: number = 1
    case .sha256: number = 2
    case .sha512: number = 3
    }
    let secret = try expect(
      try session.ask(
        5, [number], [UInt8(digits)], [UInt8(period >> 8), UInt8(truncatingIfNeeded: period)]), 0x85
    )
    let phone = Authenticator(
      key: Base32.text(secret[0]), algorithm: algorithm, digits: digits, period: period)
    // At the edge of the window the time step may end between the two clock reads.
    var answer = try session.ask(6, Array(try phone.code(offset: offset).utf8), Array(name.utf8))
    if answer?.kind == 0x8B {
      answer = try session.ask(6, Array(try phone.code(offset: offset).utf8), Array(name.utf8))
    }
    let factor = try expect(answer, 0x86)[0]
    try session.end()
    return Enrollment(phone: phone, displayName: name, identifier: factor)
  }

  /// Adds a user with an account and an enrolled app.
  package func addEnrolledUser(
    named name: String? = nil
  ) throws -> (user: MachineUser, enrollment: Enrollment) {
    let user = try addUser(named: name)
    return (user, try enroll(user))
  }

  /// Removes everything that is stored for a user.
  package func forget(_ user: MachineUser) throws(HarnessFailure) {
    try StoreFiles(of: user.name).discard()
  }
}
