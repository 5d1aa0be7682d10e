import MFABase
import MFAModel
import MFARealm

/// What this host has imported into its realm for one user.
struct ImportedUser: Equatable {
  /// Where something that the realm has comes from.
  enum Origin: Equatable {
    /// This host imported it. The value is the digest with which an undo recognises it; nil if the answer of the
    /// realm was lost.
    case host(mark: [UInt8]?)
    /// The realm had it, or it took the place of something that the realm had. An undo leaves it.
    case realm
  }

  /// A factor of this host that the realm had after an import.
  struct KnownFactor: Equatable {
    let id: FactorID
    var origin: Origin
  }

  /// A request whose answer did not arrive.
  struct Pending: Equatable {
    /// The number of the import, which its entry in the audit log of the realm has.
    let number: [UInt8]
    /// The number of the last entry before the request.
    let after: UInt32
    /// What is known about the user if the request was carried out.
    let factors: [KnownFactor]
    let recoveryCodes: Origin?
    let failures: FailureCount
  }

  /// The name of the user.
  let name: [UInt8]
  var factors: [KnownFactor] = []
  /// The origin of the recovery codes; nil if no import has decided about them.
  var recoveryCodes: Origin?
  /// The failed attempts of this host that were imported.
  var failures: FailureCount?
  var pending: Pending?

  init(name: [UInt8]) { self.name = name }

  /// Whether an undo has something to remove.
  var hasImported: Bool {
    factors.contains { $0.origin != .realm } || recoveryCodes.map { $0 != .realm } ?? false
  }

  /// True if a digest of an imported factor, or of the recovery codes, is not known.
  var lacksMark: Bool {
    factors.contains { $0.origin == .host(mark: nil) } || recoveryCodes == .host(mark: nil)
  }

  /// Takes over the answer of the realm to an import. `failures` are those of this host.
  mutating func note(_ answer: AdministeredImport, failures: FailureCount) {
    for factor in answer.factors {
      let index = factors.firstIndex { $0.id == factor.id }
      switch factor.result {
      case .added: set(factor.id, index, Self.origin(factor.mark))
      case .present,
        .kept where !factor.mark.isEmpty:
        guard let index else {
          factors.append(KnownFactor(id: factor.id, origin: .realm))
          continue
        }
        if factors[index].origin == .host(mark: nil) {
          factors[index].origin = .host(mark: factor.mark)
        }
      case .replaced: set(factor.id, index, .realm)
      case .kept, .revoked, .noRoom, .otherContent, .sameName, .otherFactors, .removed, .changed,
        .missing:
        break
      }
    }
    switch answer.recoveryCodes {
    case .added: recoveryCodes = Self.origin(answer.recoveryCodeMark)
    case .present: recoveryCodes = recoveryCodes ?? .realm
    case .earlier where recoveryCodes == .host(mark: nil):
      recoveryCodes = Self.origin(answer.recoveryCodeMark)
    case .none, .earlier, .grants, .removed, .changed: break
    }
    self.failures = failures
    pending = nil
  }

  private static func origin(_ mark: [UInt8]) -> Origin { .host(mark: mark.isEmpty ? nil : mark) }

  /// Notes that a request is about to be sent. `answer` is that to its trial.
  mutating func expect(
    _ answer: AdministeredImport, failures: FailureCount, number: [UInt8], after: UInt32
  ) {
    var expected = self
    expected.note(answer.withoutNewMarks, failures: failures)
    pending = Pending(
      number: number, after: after, factors: expected.factors,
      recoveryCodes: expected.recoveryCodes, failures: failures)
  }

  private mutating func set(_ id: FactorID, _ index: Int?, _ origin: Origin) {
    if let index {
      factors[index].origin = origin
    } else {
      factors.append(KnownFactor(id: id, origin: origin))
    }
  }

  /// Takes over the answer of the realm to an undo: forgets what is not in the realm any more.
  mutating func noteUndo(_ answer: AdministeredImport) {
    let gone = answer.factors.filter { $0.result == .removed || $0.result == .missing }.map(\.id)
    factors.removeAll { gone.contains($0.id) }
    if answer.recoveryCodes != .changed { recoveryCodes = nil }
  }

  /// Takes over whether the request whose answer was lost is in the audit log of the realm.
  mutating func settle(isCommitted: Bool) {
    if isCommitted, let pending {
      factors = pending.factors
      recoveryCodes = pending.recoveryCodes
      failures = pending.failures
    }
    pending = nil
  }
}

extension AdministeredImport {
  /// The answer to a trial without the digests of what was not added yet.
  fileprivate var withoutNewMarks: AdministeredImport {
    var answer = self
    for index in factors.indices where factors[index].result == .added {
      answer.factors[index].mark = []
    }
    if recoveryCodes == .added { answer.recoveryCodeMark = [] }
    return answer
  }
}
