import MFAAdmin
import MFAModel
import MFABase

/// Finds rules and settings of sudo with which users need no code, or the code of another account.
///
/// sudo calls PAM only if its own rules say so, and chooses the service and the account.
enum SudoWithoutCode: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard !snapshot.servicesWithModule.isEmpty else { return [] }
    let host = snapshot.host
    return findings(
      SudoersView(of: host), SudoServices(host.stacks),
      Subjects(host: host, accounts: snapshot.accounts, stored: { snapshot.stored })
    ) { users, policy in
      users.all(policy)
    }
  }

  /// Returns the findings about one user, from sudo itself if not all rules are in files.
  static func findings(for user: String, on host: any ExaminedHost) -> [Finding] {
    let accounts: Result<[KnownAccount], SystemError>
    do throws(SystemError) { accounts = .success(try host.accounts()) } catch {
      accounts = .failure(error)
    }
    let subjects = Subjects(host: host, accounts: accounts) {
      do throws(AdminError) { return .success(try host.stored()) } catch { return .failure(error) }
    }
    return findings(SudoersView(of: host, for: user), SudoServices(host.stacks), subjects) {
      users, _ in [users.account(user)]
    }
  }

  /// What is known about users, besides the rules.
  struct Subjects {
    let host: any ExaminedHost
    let accounts: Result<[KnownAccount], SystemError>
    /// Reads the stored records.
    let stored: () -> Result<[UserReport], AdminError>
  }

  private static func findings(
    _ view: SudoersView, _ services: SudoServices, _ subjects: Subjects,
    of concerned: (SudoersUsers, SudoersPolicy) -> [SudoersUser]
  ) -> [Finding] {
    switch view {
    case .notInstalled: return []
    case .unknown(let finding): return services.areAsked ? [finding] : []
    case .known(let known):
      let users = SudoersUsers(subjects.host, subjects.accounts, known.sources)
      var report = SudoReport(known, users, subjects, services)
      for user in concerned(users, known.policy) { report.add(user) }
      return report.isAsked ? report.findings + known.unchecked : []
    }
  }
}

extension Doctor {
  /// The code of the finding that sudo asks for no code. An error means: for no command.
  package static let sudoWithoutCode = "sudo-without-code"

  /// Returns the findings about what sudo asks one user for, if a service is one of sudo's.
  package static func sudoFindings(
    for user: UserName, at service: [UInt8], on host: any ExaminedHost
  ) -> [Finding] {
    guard SudoServices.names.contains(String(decoding: service, as: UTF8.self)) else { return [] }
    return SudoWithoutCode.findings(for: String(decoding: user.bytes, as: UTF8.self), on: host)
  }
}
