extension Directory {
  /// Opens a file for reading and writing. If it does not exist, creates it, and only its owner may
  /// read and write it. Another process may create the file at the same time.
  package func fileForUpdatingOrNew(_ name: FileName) throws(SystemError) -> File {
    do throws(SystemError) {
      return try fileForUpdating(name)
    } catch {
      guard error.isNotFound else { throw error }
    }
    do throws(SystemError) {
      return try create(name)
    } catch  where error.isExisting {
      return try fileForUpdating(name)
    }
  }
}
