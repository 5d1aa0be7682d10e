import MFABase

/// What this host's name service knows of an account.
struct AccountLookup {
  private(set) var facts: AccountFacts?
  /// The accounts that share the ID.
  private(set) var sharing: [Account?] = []
  /// Whether no lookup of an account failed.
  private(set) var isCertain = true

  /// Looks up the account with an ID. Without groups, none of them is certain.
  init(uid: UInt32, withGroups: Bool = true) {
    do throws(SystemError) {
      facts = try Account.with(uid: uid).map { account in
        withGroups ? Self.facts(of: account) : AccountFacts(withoutGroups: account)
      }
    } catch {
      isCertain = false
    }
  }

  /// Looks up the account with a name, and those that share its ID.
  init(name: [UInt8]) {
    do throws(SystemError) {
      guard let account = try Account.named(name) else {
        imitate()
        return
      }
      facts = Self.facts(of: account)
      sharing.append(try account.sharing(at: 0))
      sharing += try account.listed(most: HostFacts.mostSharing - 1)
      isCertain = sharing.count < HostFacts.mostSharing
    } catch {
      isCertain = false
    }
  }

  private static func facts(of account: Account) -> AccountFacts {
    do throws(SystemError) {
      let names = try account.groupNames() ?? []
      let groups = names.filter { $0.count <= AccountFacts.longestName }
        .prefix(AccountFacts.mostGroups)
      return AccountFacts(
        account: account, groups: Array(groups), areGroupsCertain: groups.count == names.count)
    } catch {
      return AccountFacts(withoutGroups: account)
    }
  }

  /// Does the lookups for an account whose ID has one name, so that the time taken does not reveal
  /// which accounts exist. The lookup of an unknown ID could keep a directory service busy for
  /// minutes.
  private mutating func imitate() {
    do throws(SystemError) {
      _ = try Account.named(Account.nobody.name)
      _ = try Account.nobody.listed(most: HostFacts.mostSharing - 1)
      _ = try Account.with(uid: 0)?.groupNames()
    } catch {
      isCertain = false
    }
  }
}
