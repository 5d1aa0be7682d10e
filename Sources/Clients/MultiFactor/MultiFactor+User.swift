import Glibc
import MFABase

// The members by which programs written for Identity Platform use the user object.
extension MultiFactor {
  /// This value: here, the user and the user's second factors are one object.
  public nonisolated var multiFactor: MultiFactor { self }

  /// The name of the user's account on this host, in place of an email address; nil if the system does
  /// not know it. `userName` is the same name, as the helper reports it.
  public nonisolated var email: String? {
    do throws(SystemError) {
      return try Account.with(uid: getuid()).map { String(decoding: $0.name, as: UTF8.self) }
    } catch {
      return nil
    }
  }
}
