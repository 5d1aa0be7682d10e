import MFAAdmin
import MFABase
import MFAModel

/// The users whose sign-ins `mfa-admin readiness` predicts.
package struct ReadinessSelection {
  private let names: [[UInt8]]
  private let groups: [[UInt8]]

  /// Selects users by name, and the members of groups.
  package init(names: [String], groups: [String]) throws(AdminError) {
    for name in names where UserName(Array(name.utf8)) == nil { throw .notAUserName(name) }
    self.names = names.map { Array($0.utf8) }
    self.groups = groups.map { Array($0.utf8) }
  }

  /// What was found of a selection.
  struct Found {
    /// The accounts, by name.
    var accounts: [Account] = []
    /// The names without an account.
    var missing: [[UInt8]] = []
    /// What is not known to be complete, in words.
    var notExamined: [String] = []
  }

  /// Finds the selected users.
  func found(by rules: HostRules) throws(AdminError) -> Found {
    var found = Found()
    var all = names
    for group in groups {
      guard rules.host.hasGroup(group) else { throw .noSuchGroup(group) }
      let listed = rules.host.members(ofGroups: [group]).flatMap { $0 }
      // The entry of a group leaves out the users whose primary group it is.
      let others = rules.listedAccounts.filter { rules.host.isMember($0, of: group) == true }
      let members = listed + others.map(\.name)
      if members.isEmpty {
        found.notExamined.append("group \(VisibleText.escaping(group)): no member is known")
      }
      if let sources = Self.directories(of: rules.host) {
        found.notExamined.append(
          "users whose primary group is \(VisibleText.escaping(group)) and whom \(sources) does not list"
        )
      }
      all += members
    }
    rules.lookUp(all)
    var seen: Set<[UInt8]> = []
    for name in all where seen.insert(name).inserted {
      if let account = rules.known(name)?.account {
        found.accounts.append(account)
      } else {
        found.missing.append(name)
      }
    }
    found.accounts.sort { $0.name.lexicographicallyPrecedes($1.name) }
    return found
  }

  /// Finds root and the accounts of persons, whether their shell accepts sign-ins or not, that the system
  /// lists.
  static func listed(by rules: HostRules) throws(AdminError) -> Found {
    var found = Found()
    found.accounts = try rules.accounts.get().filter { account in
      switch account.account.uid {
      case 0, 1000...60_000: true
      case 60_001...: account.acceptsSignIns
      case _: false
      }
    }.map(\.account).sorted { $0.name.lexicographicallyPrecedes($1.name) }
    if let sources = directories(of: rules.host) {
      found.notExamined.append(
        "users of \(sources) whom the system does not list: check them with --group, --users-from or by name"
      )
    }
    return found
  }

  /// Returns the directories that need not list their users, with the line that names them, or nil.
  private static func directories(of host: any ExaminedHost) -> String? {
    do throws(AdminError) {
      let sources = try NameServiceSwitch(of: host)
      let names = sources.directories(of: "passwd")
      return names.isEmpty ? nil : "\(NameList.text(names)) (\(sources.place(of: "passwd")))"
    } catch {
      return "directories, if there are any (\(error.place): \(error.reason))"
    }
  }
}
