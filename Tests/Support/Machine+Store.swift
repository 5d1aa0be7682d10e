extension Machine {
  /// Empties the store until the test ends, so that every record belongs to the test, and keeps the key
  /// and the configuration.
  package func emptyStore() throws(HarnessFailure) {
    try keep("/etc/mfa")
    try keep("/var/lib/mfa")
    try Command.succeed([
      "/bin/sh", "-c",
      "rm -f /var/lib/mfa/audit-log*; find /var/lib/mfa/factors /var/lib/mfa/attempts -type f -delete",
    ])
    try StoreFiles.forgetIdentity()
  }

  /// Creates recovery codes for a user through the helper.
  package func makeRecoveryCodes(
    _ user: MachineUser, _ enrollment: Enrollment, offset: Int
  ) throws(HarnessFailure) -> [String] {
    let session = try HelperSession.begun(as: user)
    _ = try session.prove(
      password: user.password, code: try enrollment.phone.code(offset: offset))
    let answer = try session.ask(0x0E)
    try session.end()
    guard let answer, answer.kind == 0x8D else {
      throw HarnessFailure("making recovery codes: \(String(describing: answer))")
    }
    return answer.fields.dropFirst().map { String(decoding: $0, as: UTF8.self) }
  }
}
