import Foundation
import MFABase
import MFAModel
import MFAStore
import MFATestSupport
import Testing

@testable import MFADecider

/// The MUSTs of MailFolder.swift.
@Suite("The folder of accounts to be mailed", .privateMachine)
struct MailFolderTests {
  private let folder: StoreFolder
  private let mail: MailFolder

  init() throws {
    folder = try StoreFolder()
    mail = MailFolder(StoreFile.mail.name, in: try folder.location())
  }

  private func add(_ name: String) throws {
    try mail.add(Account(name: Array(name.utf8), uid: 1000))
  }

  /// Empties the folder. Returns the users to whom notices are delivered, in order.
  private func empty() throws -> [String] {
    var users: [String] = []
    let haveAllBegun = try mail.empty { user in
      users.append(String(decoding: user.bytes, as: UTF8.self))
      return true
    }
    #expect(haveAllBegun)
    return users.sorted()
  }

  @Test("each account has one empty file with its percent-encoded name, which only the owner reads")
  func add() throws {
    for name in ["alice", "a/b", "..", "EXAMPLE\\bob", "\u{E9}", "alice", ".hidden"] {
      try add(name)
    }
    let names = ["%2E.", "%2Ehidden", "%C3%A9", "EXAMPLE%5Cbob", "a%2Fb", "alice"]
    #expect(try folder.mail() == names)
    for name in names {
      let file = folder.path + "/store/mail/" + name
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
      #expect(attributes[.size] as? Int == 0, "\(name)")
    }
  }

  @Test("a name that is too long for a file is an error")
  func longName() throws {
    try add(String(repeating: "a", count: 240))
    for name in ["", String(repeating: "a", count: 241), String(repeating: "/", count: 81)] {
      #expect(throws: FactorStoreError.nameTooLong, "\(name)") { try add(name) }
    }
  }

  @Test("a file that exists is not touched, whatever it is")
  func existing() throws {
    try folder.run("echo x > $S/mail/alice; ln -s $K $S/mail/bob; mkdir $S/mail/carol")
    for name in ["alice", "bob", "carol"] { try add(name) }
    try folder.run("test $(cat $S/mail/alice) = x; test -L $S/mail/bob; test -d $S/mail/carol")
  }

  @Test("notices are delivered once to each account")
  func delivery() throws {
    for name in ["alice", "a b", "EXAMPLE\\bob"] { try add(name) }
    #expect(try empty() == ["EXAMPLE\\bob", "a b", "alice"])
    #expect(try empty() == [])
    #expect(try folder.mail() == [])
  }

  @Test("a file is removed before its delivery, and a notice that arrives meanwhile keeps its file")
  func removedFirst() throws {
    try add("alice")
    _ = try mail.empty { _ in
      do {
        #expect(try folder.mail() == [])
        try add("alice")
      } catch {
        Issue.record(error)
      }
      return true
    }
    #expect(try folder.mail() == ["alice"])
    #expect(try empty() == ["alice"])
  }

  @Test(
    "after a delivery that could not begin, the account has a file again, and is called once a run")
  func postponed() throws {
    for name in ["alice", "a/b", "carol"] { try add(name) }
    // A user name has no slash.
    for _ in 0..<2 {
      var users: [String] = []
      let haveAllBegun = try mail.empty { user in
        users.append(String(decoding: user.bytes, as: UTF8.self))
        return user.bytes != Array("alice".utf8)
      }
      #expect(!haveAllBegun)
      #expect(try folder.mail() == ["alice"])
      #expect(users.contains("alice"))
    }
    // The file appears again during the delivery.
    let haveAllBegun = try mail.empty { _ in
      do { try add("alice") } catch { Issue.record(error) }
      return false
    }
    #expect(!haveAllBegun)
    #expect(try folder.mail() == ["alice"])
    #expect(try empty() == ["alice"])
  }

  @Test("the accounts of a realm have a folder of their own")
  func realm() throws {
    try folder.run("mkdir -m 0700 $S/realm-mail")
    let realm = MailFolder(StoreFile.realmMailName, in: try folder.location())
    try realm.add(Account(name: Array("bob".utf8), uid: 0))
    try add("alice")
    #expect(try folder.mail() == ["alice"])
    try folder.run("test \"$(ls $S/realm-mail)\" = bob")
  }

  @Test("a file whose name names no account is removed, and nothing is delivered")
  func oddNames() throws {
    for name in [
      "%", "%4", "%61lice", "%2f", "a%2Fb", "%00", "a b", ".x", "%ZZ", "...", "alice~", "%C3%A9 x",
    ] {
      try folder.run("touch \"$S/mail/\(name)\"")
    }
    try add("alice")
    #expect(try empty() == ["alice"])
    #expect(try folder.mail() == [])
  }

  @Test("more files than one run takes are left for the next runs")
  func many() throws {
    let count = 2 * MailFolder.most + 500
    try folder.run("cd $S/mail; seq \(count) | xargs touch")
    var users: Set<String> = []
    for expected in [MailFolder.most, MailFolder.most, 500, 0] {
      let delivered = try empty()
      #expect(delivered.count == expected)
      users.formUnion(delivered)
    }
    #expect(users == Set((1...count).map(String.init)))
  }

  @Test("a symbolic link is removed without following it")
  func links() throws {
    try folder.run(
      "ln -s $K $S/mail/alice; ln -s $S/factors $S/mail/bob; ln -s /nowhere $S/mail/carol")
    #expect(try empty() == ["alice", "bob", "carol"])
    try folder.run("test -e $K; test -d $S/factors")
    #expect(try folder.mail() == [])
  }

  @Test("a file that cannot be removed does not keep others from being mailed, and is reported")
  func notRemovable() throws {
    try folder.run("mkdir -p $S/mail/zoe/x $S/mail/adam/x $S/mail/carol")
    for name in ["alice", "bob"] { try add(name) }
    var users: [String] = []
    #expect(throws: FactorStoreError.self) {
      try mail.empty { user in
        users.append(String(decoding: user.bytes, as: UTF8.self))
        return true
      }
    }
    // A directory without entries is removed like a file.
    #expect(users.sorted() == ["alice", "bob", "carol"])
    #expect(try folder.mail() == ["adam", "zoe"])
  }

  @Test(
    "a folder that is missing, a link, or not trusted is refused",
    arguments: [
      ("rmdir $S/mail", .system(.directory, .notFound(.open))),
      ("rmdir $S/mail; ln -s $S/factors $S/mail", .untrusted(.directory, .notADirectory)),
      ("chmod 0750 $S/mail", .untrusted(.directory, .wrongPermissions)),
      ("chown 1 $S/mail", .untrusted(.directory, .wrongOwner)),
      ("chmod 0755 $S", .untrusted(.directory, .wrongPermissions)),
    ] as [(String, FactorStoreError)])
  func refused(script: String, expected: FactorStoreError) throws {
    try folder.run(script)
    #expect(throws: expected) { try add("alice") }
    #expect(throws: expected) { _ = try empty() }
  }
}
