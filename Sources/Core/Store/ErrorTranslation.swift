import MFACrypto
import MFABase

/// Runs code that accesses a part of the store, and names that part in the error.
package func onPart<Result: ~Copyable>(
  _ part: FactorStoreError.Part, _ body: () throws(SystemError) -> Result
) throws(FactorStoreError) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    if error.isSymbolicLink { throw .untrusted(part, .symbolicLink) }
    if error.isNotADirectory { throw .untrusted(part, .notADirectory) }
    throw .system(part, error)
  }
}

/// Returns why a file of the store could not be opened. Root can open every file and then finds out
/// whose it is; a process of the store's owner cannot open a file of another user.
package func refusal(
  _ error: SystemError, of part: FactorStoreError.Part, _ name: FileName,
  in directory: borrowing Directory, owner: UInt32
) -> FactorStoreError {
  if error.isSymbolicLink { return .untrusted(part, .symbolicLink) }
  guard error.isForbidden else { return .system(part, error) }
  do throws(SystemError) {
    let status = try directory.status(of: name)
    return status.owner == owner ? .system(part, error) : .untrusted(part, .wrongOwner)
  } catch {
    return .system(part, error)
  }
}

/// Runs code that needs libcrypto, and translates its error.
package func cryptographic<Result: ~Copyable>(
  _ body: () throws(CryptographyError) -> Result
) throws(FactorStoreError) -> Result {
  do throws(CryptographyError) { return try body() } catch { throw .cryptography }
}

extension TrustedPath {
  /// Opens the directory that holds the last component, as a part of the store.
  package func parent(of part: FactorStoreError.Part) throws(FactorStoreError) -> Directory {
    do throws(TrustedPath.Refusal) { return try parent() } catch { throw error.of(part) }
  }

  /// Checks every directory except the last component, as `parent(of:)` does.
  package func checkParents(of part: FactorStoreError.Part) throws(FactorStoreError) {
    do throws(TrustedPath.Refusal) { try checkParents() } catch { throw error.of(part) }
  }
}

extension TrustedPath.Refusal {
  /// Returns the same refusal as an error of a part of the store.
  fileprivate func of(_ part: FactorStoreError.Part) -> FactorStoreError {
    switch self {
    case .system(let error): .system(part, error)
    case .untrusted(let distrust): .untrusted(part, distrust)
    }
  }
}
