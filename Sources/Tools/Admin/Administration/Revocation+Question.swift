import MFAModel

extension Administration.Revocation {
  /// The question that asks for confirmation.
  package var question: String {
    let name = VisibleText(subject.name)
    if let factor {
      return "revoke \(VisibleText(factor.displayName)) (\(VisibleText(factor.id))) of \(name)?"
    }
    switch finding {
    case .nothing: return "remove everything that is stored for \(name)?"
    case .unusable(let problem):
      return "remove what is stored for \(name), which cannot be read: \(problem.sentence)?"
    case .usable(let snapshot):
      let names = snapshot.record.factors.map { "\(VisibleText($0.displayName))" }
      return "revoke every factor of \(name): \(names.joined(separator: ", "))?"
    }
  }
}
