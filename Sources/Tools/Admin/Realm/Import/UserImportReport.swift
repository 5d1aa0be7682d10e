import MFAModel
import MFARealm

/// What an import into the realm, or its undo, does with one user.
package struct UserImportReport: Equatable {
  private let user: UserName
  private let factors: [Factor]
  private let isTrial: Bool
  /// Why the user cannot be imported; nil if the realm has answered.
  package let problem: String?
  /// The answer of the realm.
  let answer: AdministeredImport?

  init(user: UserName, factors: [Factor], answer: AdministeredImport, isTrial: Bool) {
    self.user = user
    self.factors = factors
    self.answer = answer
    self.isTrial = isTrial
    problem = nil
  }

  init(user: UserName, problem: String) {
    self.user = user
    self.problem = problem
    factors = []
    answer = nil
    isTrial = true
  }

  /// Whether an administrator has to decide.
  package var hasConflict: Bool {
    answer?.factors.contains { $0.result.isConflict } ?? false
  }

  // MARK: Text

  /// The report as one line without a line feed.
  package var text: String {
    guard let answer else { return "\(VisibleText(user)): not imported: \(problem ?? "")" }
    var parts = answer.factors.map { "\(name(of: $0)): \(words($0.result))" }
    if let codes = words(answer.recoveryCodes) { parts.append("recovery codes: \(codes)") }
    if answer.failures != answer.failuresBefore, !hasConflict {
      parts.append("failed attempts: \(answer.failures)")
    }
    return "\(VisibleText(user)): "
      + (parts.isEmpty ? "nothing to import" : parts.joined(separator: "; "))
  }

  private func name(of factor: FactorImport) -> String {
    displayName(of: factor) ?? "factor \(VisibleText(factor.id))"
  }

  private func displayName(of factor: FactorImport) -> String? {
    factors.first { $0.id == factor.id }.map { "\(VisibleText($0.displayName))" }
  }

  private func words(_ result: FactorImport.Result) -> String {
    switch result {
    case .added: isTrial ? "to be added" : "added"
    case .present: "already in the realm"
    case .replaced: (isTrial ? "to replace" : "replaced") + " a factor of the realm"
    case .kept: "not imported, the realm keeps its own"
    case .revoked: "not imported again, revoked in the realm"
    case .noRoom: "not imported, \(FactorRecord.maximumFactors) factors are the largest number"
    case .otherContent: "CONFLICT: the realm has this factor with other contents"
    case .sameName: "CONFLICT: the realm has another factor with this name"
    case .otherFactors: "CONFLICT: the realm has other factors of the user"
    case .removed: isTrial ? "to be removed" : "removed"
    case .changed: "changed since the import, stays"
    case .missing: "not in the realm any more"
    }
  }

  private func words(_ codes: RecoveryCodeImport) -> String? {
    switch codes {
    case .noCodes: nil
    case .added: isTrial ? "to be added" : "added"
    case .present: "not imported, the realm has others"
    case .earlier: "imported before"
    case .grants: "not imported, because the realm has a ticket or a bypass code of the user"
    case .removed: isTrial ? "to be removed" : "removed"
    case .changed: "changed since the import, stay"
    }
  }

  // MARK: JSON

  /// The report as JSON. Member names are stable across versions.
  package var json: JSON {
    .object([
      ("user", .string(String(decoding: user.bytes, as: UTF8.self))),
      ("problem", JSON(problem)), ("conflict", .bool(hasConflict)),
      (
        "factors",
        .array(
          (answer?.factors ?? []).map { factor in
            .object([
              ("id", .string("\(VisibleText(factor.id))")),
              ("displayName", JSON(displayName(of: factor))),
              ("result", .string("\(factor.result)")),
            ])
          })
      ),
      ("recoveryCodes", JSON(answer.map { "\($0.recoveryCodes)" })),
      ("failuresBefore", answer.map { .number(Int64($0.failuresBefore)) } ?? .null),
      ("failures", answer.map { .number(Int64($0.failures)) } ?? .null),
      (
        "checkpoint",
        JSON(
          answer.flatMap {
            $0.checkpoint.isEmpty ? nil : String(decoding: $0.checkpoint, as: UTF8.self)
          })
      ),
    ])
  }
}
