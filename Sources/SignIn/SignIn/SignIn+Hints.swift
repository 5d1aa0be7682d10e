import MFAMessages
import MFAWire
import MFAPAMStack
import MFAAttempt
import MFAStore
import MFAModel
import MFABase

// The numbered list of factors in the prompt, if policy asks for it. The list reveals to everyone
// who reaches the prompt that the account is enrolled, and with which factors.
extension SignIn {
  /// Asks for a code and lists the factors. The answer is a code or the number of a factor. After a
  /// number, the user is asked for a code of that factor, and no other code is accepted.
  ///
  /// If `forward_pass` is set, one answer contains the password and the code. The list is then only
  /// for information, and a number does not choose a factor.
  func proveListedCode(
    _ check: CodeCheck<Machine.Store>
  ) throws(Pause) -> SignInResult {
    let (options, resolved) = (check.resolved.options, check.resolved)
    if resolved.continuation.phase == .codeOfFactor,
      let factor = check.record.factor(resolved.continuation.factor)
    {
      return try proveCode(of: factor, check)
    }
    let list = FactorList(check.record.factors)
    let answer = try ask(
      list.question(resolved), echo: options.echo, resolved.continuation.asking(.code),
      about: check.record, resolved)
    if options.forwardsPass {
      return try verify(answer, .afterPassword, in: check)
    }
    guard let number = Self.number(in: answer) else {
      return try verify(answer, .codeAlone, in: check)
    }
    guard let factor = list.factor(number) else { return .notACode(.noSuchFactor) }
    trace(resolved, "choice") { line in line.add("factor", escaping: factor.id.hexadecimal) }
    return try proveCode(of: factor, check)
  }

  /// Asks for a code of one factor.
  private func proveCode(
    of factor: Factor, _ check: CodeCheck<Machine.Store>
  ) throws(Pause) -> SignInResult {
    let resolved = check.resolved
    let code = try ask(
      resolved.text(.codeOfDevicePrompt(name: factor.displayName.utf8)).utf8,
      echo: resolved.options.echo, resolved.continuation.asking(.codeOfFactor, of: factor.id),
      about: check.record, resolved)
    return try verify(code, .codeAlone, of: factor.id, in: check)
  }

  /// Returns the factor number in an answer, a digit from 1 to 8 with spaces allowed, or nil.
  private static func number(in reply: borrowing Reply) -> Int? {
    switch reply {
    case .absent: return nil
    case .tooLong: return nil
    case .text(let answer): return number(in: answer.span)
    }
  }

  private static func number(in answer: Span<UInt8>) -> Int? {
    var number: Int?
    for index in answer.indices where answer[index] != UInt8(ascii: " ") {
      let digit = Int(answer[index]) &- Int(UInt8(ascii: "0"))
      guard number == nil, digit >= 1, digit <= FactorRecord.maximumFactors else { return nil }
      number = digit
    }
    return number
  }
}
