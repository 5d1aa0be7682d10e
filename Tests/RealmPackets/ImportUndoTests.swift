import MFAModel
import MFARealm
import Testing

@Suite("Undoing an import")
struct ImportUndoTests {
  private func marks(_ factors: [(UInt8, UInt8)], codes: [UInt8] = []) -> ImportUndo.Marks {
    ImportUndo.Marks(
      factors: factors.map { FactorImport(identifier($0), .added, mark: [$1]) },
      recoveryCodes: codes)
  }

  private func undone(
    _ record: FactorRecord, _ imported: ImportUndo.Marks, now present: ImportUndo.Marks
  ) -> UserImport.Merged {
    ImportUndo(of: imported).applied(
      to: UserImport.Present(record: record, attempts: attempts(of: record, step: 9), twins: []),
      present, from: .unknown, at: now)
  }

  @Test("what is as it was is removed, and nothing else")
  func removed() throws {
    let stored = try record([try factor(1), try factor(2)])
    let merged = undone(stored, marks([(1, 7)]), now: marks([(1, 7), (2, 7)]))
    #expect(merged.results == [.removed])
    #expect(merged.names == ["phone 2"])
    #expect(merged.attempts.watermarks.map(\.factor) == [identifier(2)])
    #expect(merged.isChange)
  }

  @Test("what has changed since, or is gone, is left")
  func changed() throws {
    var stored = try record([try factor(1), try factor(2)])
    stored.setRecoveryCodes(recoveryCodes(9), at: now)
    let merged = undone(
      stored, marks([(1, 7), (3, 7)], codes: [1]), now: marks([(1, 8), (2, 7)], codes: [2]))
    #expect(merged.results == [.changed, .missing])
    #expect(!merged.isChange)
    #expect(merged.record == stored)
  }

  @Test("a factor without a digest is left")
  func unknownMark() throws {
    let stored = try record([try factor(1)])
    let unknown = ImportUndo.Marks(
      factors: [FactorImport(identifier(1), .added)], recoveryCodes: [])
    #expect(undone(stored, unknown, now: unknown).results == [.changed])
  }

  @Test("recovery codes are removed if none was used, and with the last factor")
  func recoveryCodesRemoved() throws {
    var stored = try record([try factor(1), try factor(2)])
    stored.setRecoveryCodes(recoveryCodes(10), at: now)
    let unused = undone(stored, marks([], codes: [1]), now: marks([], codes: [1]))
    #expect(unused.recoveryCodes == .removed && unused.record.recoveryCodes.isEmpty)
    let used = undone(stored, marks([], codes: [1]), now: marks([], codes: [2]))
    #expect(used.recoveryCodes == .changed && used.record == stored)
    let both = marks([(1, 7), (2, 7)], codes: [2])
    let last = undone(stored, marks([(1, 7), (2, 7)], codes: [1]), now: both)
    #expect(last.recoveryCodes == .removed && last.record.recoveryCodes.isEmpty)
    let gone = undone(try record([try factor(1)]), marks([], codes: [1]), now: marks([]))
    #expect(gone.recoveryCodes == .noCodes && !gone.isChange)
  }
}
