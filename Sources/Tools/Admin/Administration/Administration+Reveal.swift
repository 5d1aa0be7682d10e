import MFAStore
import MFAModel
import MFAWire
import MFABase

/// A phone number in full, with the factor that it belongs to.
package final class RevealedNumber {
  /// The factor.
  package let factor: Factor
  /// The number in the form +15105551234.
  package let number: SecretBytes

  init(_ factor: Factor, _ number: consuming SecretBytes) {
    self.factor = factor
    self.number = number
  }
}

extension Administration {
  /// Returns the phone numbers of a user in full. That is recorded in the audit log first; if the log
  /// cannot be written, no number is returned.
  package func phoneNumbers(of text: String) throws(AdminError) -> [RevealedNumber] {
    let subject = try subject(text)
    guard case .usable(let snapshot) = try finding(subject), snapshot.record.hasPhone else {
      return []
    }
    try record(
      .numbersRevealed, "numbers-revealed",
      detail: "of \(String(decoding: subject.name.bytes, as: UTF8.self))")
    let entry = try entry(of: subject)
    var numbers: [RevealedNumber] = []
    for factor in entry.record?.factors ?? [] where factor.parameters == nil {
      let number = try onUser(subject, try entry.secret(of: factor))
      numbers.append(RevealedNumber(factor, number))
    }
    return numbers
  }

  /// Returns the users who have proved to own one of these phone numbers, as they are shown. A number
  /// that looks different when it is masked is not unsealed.
  package func users(withPhones numbers: [[UInt8]]) throws(AdminError) -> [String] {
    var masked: [MaskedPhoneNumber] = []
    for number in numbers {
      do throws(PhoneNumber.Refusal) {
        masked.append(try PhoneNumber(typed: number.span).masked)
      } catch {
        // A configuration has no such number.
      }
    }
    var users: [String] = []
    for report in try self.users() {
      guard case .usable(let user) = report.content else { continue }
      let phones = user.factors.filter { factor in
        guard case .phone(let number, _) = factor.summary.kind, factor.origin != .testNumber else {
          return false
        }
        return masked.contains(number)
      }
      guard !phones.isEmpty else { continue }
      let subject = try subject(String(decoding: report.name, as: UTF8.self))
      let entry = try entry(of: subject)
      for phone in phones {
        guard let factor = entry.record?.factor(phone.summary.id),
          FactorSummary(factor) == phone.summary
        else { continue }
        let number = try onUser(subject, try entry.secret(of: factor))
        let isOne = number.withSpan { number in
          for candidate in numbers where constantTimeEquals(candidate.span, number) { return true }
          return false
        }
        if isOne, users.last != report.visibleName { users.append(report.visibleName) }
      }
    }
    return users
  }
}
