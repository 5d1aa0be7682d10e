import MFAModel
import MFABase

extension LogLine {
  /// Appends the part of the store that failed, and why: `part=record reason=damaged`, or
  /// `part=store reason=store-foreign difference=older`.
  @inline(never)
  package mutating func add(_ error: FactorStoreError) {
    let names = error.names
    add("part", names.part)
    add("reason", names.reason)
    if case .system(_, let error) = error { add(error) }
    if case .otherVersion(let version) = error { add("version", Int64(version)) }
    if case .renamed(let name) = error { add("name", escaping: name.bytes) }
    if case .foreign(let difference) = error { add("difference", difference.name) }
  }
}
