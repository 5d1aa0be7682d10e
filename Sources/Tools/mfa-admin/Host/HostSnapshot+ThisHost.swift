import MFAAdmin
import MFADoctor
import MFAModel
import MFAPAMStack
import MFAServices

extension HostSnapshot {
  /// Reads the state of this machine, with the records of enabled services and accepted findings.
  ///
  /// `users` are the users for whom sshd's settings are read individually.
  static func ofThisHost(users: [UserName] = []) throws(AdminError) -> HostSnapshot {
    do throws(StackRefusal) {
      return try HostSnapshot(of: DoctorCommand.host, users: users)
    } catch {
      throw .services(error)
    }
  }
}
