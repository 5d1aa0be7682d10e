/// The memory of this process, which can hold secrets.
package enum ProcessMemory {
  /// Disables core dumps of this process, and prevents other processes of the user from tracing it
  /// or reading its memory (PR_SET_DUMPABLE). Returns whether the memory is protected.
  package static func protect() -> Bool {
    do throws(ProcessRefusal) {
      try ResourceLimit.coreFile.settle()
      try InheritedAttribute.coreDumps.settle()
      return true
    } catch {
      return false
    }
  }
}
