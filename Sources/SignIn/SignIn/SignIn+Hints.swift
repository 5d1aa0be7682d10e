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
  ) throws(SignInResult.Failure) -> SignInResult {
    let options = check.resolved.options
    let list = check.backend.list
    let answer = application.ask(list.question(check.resolved), echo: options.echo)
    if options.forwardsPass {
      return try verify(answer, .afterPassword, in: check)
    }
    guard let number = Self.number(in: answer) else {
      return try verify(answer, .codeAlone, in: check)
    }
    guard let hint = list.hint(number) else { return .notACode(.noSuchFactor) }
    trace(check.resolved, "choice") { line in line.add("factor", escaping: hint.id.hexadecimal) }
    let code = application.askNext(
      check.resolved.text(.codeOfDevicePrompt(name: hint.displayName.utf8)).utf8,
      echo: options.echo)
    return try verify(code, .codeAlone, of: hint.id, in: check)
  }

  /// Returns the factor number in an answer, a digit from 1 to 8 with spaces allowed, or nil.
  private static func number(in reply: borrowing Reply) -> Int? {
    switch reply {
    case .none: return nil
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
