import MFABase
import MFAModel
import MFAWire

/// What an import does with one factor of a host.
package struct FactorImport: Equatable, Sendable {
  /// The result. The raw values are sent.
  package enum Result: UInt8, CaseIterable, Sendable {
    /// The factor was added.
    case added = 1
    /// The realm had the factor, or one with the same key.
    case present = 2
    /// The factor took the place of one with the same id or the same name.
    case replaced = 3
    /// The realm has something else, and keeps it.
    case kept = 4
    /// An earlier import added the factor, and the realm does not have it any more.
    case revoked = 5
    /// The user would have more than the largest number of factors.
    case noRoom = 6
    /// Conflict: the realm has a factor with this id that is not the same.
    case otherContent = 7
    /// Conflict: the realm has another factor with this name.
    case sameName = 8
    /// Conflict: the realm has factors of the user, and the host has none of them.
    case otherFactors = 9
    /// An undo removed the factor.
    case removed = 10
    /// An undo left the factor, because it has changed since the import.
    case changed = 11
    /// An undo found the factor removed.
    case missing = 12

    /// Whether an administrator has to decide.
    package var isConflict: Bool {
      switch self {
      case .otherContent, .sameName, .otherFactors: true
      case .added, .present, .replaced, .kept, .revoked, .noRoom, .removed, .changed, .missing:
        false
      }
    }

    /// Whether the realm has the factor of the host after an import.
    package var isInRealm: Bool { self == .added || self == .present || self == .replaced }
  }

  /// The factor.
  package private(set) var id: FactorID
  /// The result.
  package var result: Result
  /// A keyed digest of the factor as the realm has it after an import; empty if the realm does not have it. An
  /// undo removes only a factor with the same digest.
  package var mark: [UInt8]

  /// Creates a value.
  package init(_ id: FactorID, _ result: Result, mark: [UInt8] = []) {
    self.id = id
    self.result = result
    self.mark = mark
  }

  /// The longest digest in bytes.
  static var longestMark: Int { 32 }

  /// Reads or writes a list.
  static func list(_ list: inout [FactorImport], _ coder: inout Coder) throws(PacketError) {
    let most = UInt8(AdministrationImport.mostEarlierFactors)
    try coder.list(&list, most: most, placeholder: FactorImport(.zero, .added)) {
      (factor: inout FactorImport, coder: inout Coder) throws(PacketError) in
      try coder.identifier(&factor.id)
      try coder.choice(&factor.result)
      try coder.bytes(&factor.mark, longest: longestMark)
    }
  }
}

/// What an import does with the recovery codes of a user. The raw values are sent.
package enum RecoveryCodeImport: UInt8, CaseIterable, Sendable {
  /// The host has no codes, or no factor was imported.
  case noCodes = 0
  /// The codes were added.
  case added = 1
  /// The realm had recovery codes of the user, which stay.
  case present = 2
  /// An earlier import has decided about them.
  case earlier = 3
  /// They were not added, because the realm has a ticket or a bypass code for the user.
  case grants = 4
  /// An undo removed the codes.
  case removed = 5
  /// An undo left the codes, because they have changed since the import.
  case changed = 6
}

/// How a conflict between a host and its realm is decided. The raw values are sent.
package enum ConflictChoice: UInt8, CaseIterable, Sendable {
  /// Nothing is decided: a user with a conflict is not changed.
  case undecided = 0
  /// What the realm has stays.
  case keep = 1
  /// What the host has takes its place.
  case take = 2
}

/// The removal of what a host has imported for a user.
///
/// MUST 1: only what is as it was after the import is removed. (`ImportUndoTests.changed`)
package struct ImportUndo: Sendable {
  /// What digests the realm had after the import, or has now.
  package struct Marks: Equatable, Sendable {
    /// The factors. Their results have no meaning.
    package var factors: [FactorImport]
    /// The recovery codes; empty without recovery codes, or if they were not imported.
    package var recoveryCodes: [UInt8]

    /// Creates a value.
    package init(factors: [FactorImport], recoveryCodes: [UInt8]) {
      self.factors = factors
      self.recoveryCodes = recoveryCodes
    }
  }

  /// What the import added.
  package let imported: Marks

  /// Creates a value.
  package init(of imported: Marks) { self.imported = imported }

  /// Returns what the realm has afterwards. `present` are the digests of what the realm has now.
  package func applied(
    to snapshot: UserImport.Present, _ present: Marks, from source: Source, at now: Int64
  ) -> UserImport.Merged {
    var undone = UserImport.Merged(
      record: snapshot.record, attempts: snapshot.attempts, factors: [])
    if !imported.recoveryCodes.isEmpty, !snapshot.record.recoveryCodes.isEmpty {
      let isSame = present.recoveryCodes == imported.recoveryCodes
      if isSame { undone.record.removeRecoveryCodes() }
      undone.recoveryCodes = isSame ? .removed : .changed
    }
    for factor in imported.factors {
      let result = Self.remove(factor, present, &undone.record, from: source, at: now)
      undone.factors.append(FactorImport(factor.id, result))
    }
    if undone.recoveryCodes == .changed, undone.record.recoveryCodes.isEmpty {
      undone.recoveryCodes = .removed
    }
    undone.isChange =
      undone.recoveryCodes == .removed || undone.factors.contains { $0.result == .removed }
    if undone.isChange { undone.attempts = undone.attempts.keeping(undone.record) }
    return undone
  }

  private static func remove(
    _ factor: FactorImport, _ present: Marks, _ record: inout FactorRecord, from source: Source,
    at now: Int64
  ) -> FactorImport.Result {
    guard record.factor(factor.id) != nil else { return .missing }
    let isSame = present.factors.contains { $0.id == factor.id && $0.mark == factor.mark }
    guard isSame, !factor.mark.isEmpty else { return .changed }
    do throws(FactorRecord.ChangeRefusal) {
      try record.unenroll(factor.id, from: source, at: now)
    } catch { return .missing }
    return .removed
  }
}

/// Secrets that are sent together, each with at most 255 bytes. Copies of a value share the bytes, which are
/// wiped when the last one ends.
package final class SecretList: Equatable, Sendable {
  /// Each secret, after a byte with its length.
  private let content: SecretBytes

  /// The largest number of secrets.
  package static let most = 16

  /// Takes over bytes that were received. Returns nil if they are not a list.
  package init?(_ bytes: consuming SecretBytes) {
    guard Self.isList(bytes.span) else { return nil }
    content = bytes
  }

  private init(joined bytes: consuming SecretBytes) { content = bytes }

  /// A list without secrets.
  package static var empty: SecretList { SecretList(joined: SecretBytes(count: 0)) }

  /// Calls `body` with the bytes as they are sent: each secret, after a byte with its length.
  package func withSpan<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
    content.withSpan(body)
  }

  /// Returns a list with one more secret, or nil if it is too long or there are too many.
  package func adding(_ secret: Span<UInt8>) -> SecretList? {
    guard let length = UInt8(exactly: secret.count), count < Self.most else { return nil }
    let part = SecretBytes(joining: [length].span, secret)
    return content.withSpan { content in
      SecretList(joined: SecretBytes(joining: content, part.span))
    }
  }

  /// The number of secrets.
  package var count: Int {
    content.withSpan { bytes in
      var count = 0
      var position = 0
      while position < bytes.count {
        position &+= 1 &+ Int(bytes[position])
        count &+= 1
      }
      return count
    }
  }

  /// Returns a secret, or nil if there are not as many. Numbers begin with 0.
  package func secret(_ number: Int) -> SecretBytes? {
    content.withSpan { bytes in
      var position = 0
      var left = number
      while position < bytes.count {
        let end = position &+ 1 &+ Int(bytes[position])
        guard left > 0 else { return SecretBytes(copying: bytes, in: position &+ 1..<end) }
        position = end
        left &-= 1
      }
      return nil
    }
  }

  /// Compares two lists.
  package static func == (left: SecretList, right: SecretList) -> Bool {
    left.content.withSpan { left in
      right.content.withSpan { right in
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
      }
    }
  }

  private static func isList(_ bytes: Span<UInt8>) -> Bool {
    var position = 0
    var count = 0
    while position < bytes.count {
      let (end, overflow) = position.addingReportingOverflow(1 &+ Int(bytes[position]))
      guard !overflow, end <= bytes.count else { return false }
      position = end
      count &+= 1
    }
    return count <= most
  }
}
