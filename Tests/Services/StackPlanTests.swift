import MFAAdmin
import MFAAdminTestSupport
import MFAPAMStack
import Testing

@testable import MFAServices

@Suite struct StackPlanTests {
  typealias Stacks = MemoryHost.Stacks

  static let commonAuth = """
    auth [success=1 default=ignore] pam_unix.so nullok
    auth requisite pam_deny.so
    auth required pam_permit.so

    """
  static let commonAccount = """
    account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so
    account requisite pam_deny.so
    account required pam_permit.so

    """

  struct Row: CustomTestStringConvertible {
    let number: Int
    var service = "sshd"
    let text: String
    /// The file with A for the marked `auth` line and C for the marked `account` lines, or nil if
    /// it is refused.
    let expected: String?
    /// The reason of the refusal.
    var refusal = ""
    var testDescription: String { "\(number)" }
  }

  static let inlined = commonAuth + commonAccount

  static let rows = [
    Row(
      number: 1,
      text: "# x\n@include common-auth\naccount required pam_nologin.so\n@include common-account\n",
      expected:
        "# x\n@include common-auth\nAC\naccount required pam_nologin.so\n@include common-account\n"),
    Row(
      number: 2, text: "@include common-auth", expected: "@include common-auth\nAC"),
    // The account line must precede every include of common-account, or it would be skipped.
    Row(
      number: 3, text: "@include common-account\n@include common-auth\n",
      expected: "C\n@include common-account\n@include common-auth\nA\n"),
    Row(
      number: 4,
      text: "account required pam_nologin.so\n@include common-auth\n@include common-account\n",
      expected:
        "account required pam_nologin.so\n@include common-auth\nAC\n@include common-account\n"),
    // The line must follow the lines that a correct password jumps over.
    Row(
      number: 5, text: inlined,
      expected: commonAuth.replacing("auth required", with: "AC\nauth required") + commonAccount),
    Row(
      number: 6, text: "auth requisite pam_unix.so\n", expected: "auth requisite pam_unix.so\nAC\n"),
    Row(
      number: 7, text: "auth \\\n  requisite \\\n pam_unix.so\n",
      expected: "auth \\\n  requisite \\\n pam_unix.so\nAC\n"),
    Row(
      number: 8, text: "auth [success=ok default=die] pam_sss.so\n",
      expected: "auth [success=ok default=die] pam_sss.so\nAC\n"),
    Row(
      number: 9, service: "su",
      text: "auth sufficient pam_rootok.so\n@include common-auth\n@include common-account\n",
      expected: "auth sufficient pam_rootok.so\n@include common-auth\nAC\n@include common-account\n"
    ),
    Row(
      number: 10, text: "auth sufficient pam_rootok.so\n@include common-auth\n", expected: nil,
      refusal: "/pam/sshd:1 can end the stack"),
    Row(
      number: 11, text: "auth required pam_unix.so\n", expected: nil,
      refusal: "after a wrong password at /pam/sshd:1, the stack continues"),
    // A wrong password is the only failure that does not end the stack.
    Row(
      number: 21, text: "auth [success=ok auth_err=bad default=die] pam_sss.so\n", expected: nil,
      refusal: "after a wrong password at /pam/sshd:1, the stack continues"),
    Row(
      number: 12, text: "auth sufficient pam_unix.so\nauth requisite pam_deny.so\n", expected: nil,
      refusal: "/pam/sshd:1 can end the stack"),
    Row(number: 13, text: "auth required pam_permit.so\n", expected: nil, refusal: "a password"),
    Row(number: 14, text: "", expected: nil, refusal: "a password"),
    Row(
      number: 15, text: "@include common-auth\naccount reqired x.so\n", expected: nil,
      refusal: "/pam/sshd:2: this line cannot be parsed"),
    Row(
      number: 16, text: "auth [success=9 default=ignore] pam_unix.so\nauth requisite pam_deny.so\n",
      expected: nil, refusal: "after a wrong password at /pam/sshd:1"),
    Row(
      number: 17, text: "@include common-auth\naccount [default=reset] pam_x.so\n", expected: nil,
      refusal: "can reset the result of the module's account line"),
    Row(
      number: 18, text: "auth substack common-auth\nauth required pam_env.so\n",
      expected: "SC\nauth substack common-auth\nauth required pam_env.so\n"),
    Row(
      number: 19,
      text:
        "auth [success=2 default=ignore] pam_unix.so\nauth [success=1 default=ignore] pam_sss.so\nauth requisite pam_deny.so\n",
      expected:
        "auth [success=2 default=ignore] pam_unix.so\nauth [success=1 default=ignore] pam_sss.so\nauth requisite pam_deny.so\nAC\n"
    ),
    Row(
      number: 20, text: "auth include common-auth\naccount include common-account\n",
      expected: "auth include common-auth\nAC\naccount include common-account\n"),
    Row(
      number: 21, text: "auth requisite pam_himmelblau.so\n",
      expected: "auth requisite pam_himmelblau.so\nAC\n"),
    Row(
      number: 22, text: "auth requisite pam_u2f.so\n", expected: nil,
      refusal: "does not ask for a password"),
    // Debian's file of cockpit: a wrong password ends the substack and not the stack.
    Row(
      number: 23, service: "cockpit",
      text: "auth required pam_sepermit.so\nauth substack common-auth\n"
        + "auth optional pam_ssh_add.so\nauth required pam_listfile.so\n"
        + "account required pam_nologin.so\naccount include common-account\n",
      expected: "auth required pam_sepermit.so\nSC\nauth substack common-auth\n"
        + "auth optional pam_ssh_add.so\nauth required pam_listfile.so\n"
        + "account required pam_nologin.so\naccount include common-account\n"),
  ]

  static func stacks(_ row: Row) -> OverlaidStacks<Stacks> {
    OverlaidStacks(
      Stacks(files: [
        row.service: row.text, "common-auth": commonAuth, "common-account": commonAccount,
        "other": "auth required pam_unix.so\n",
      ]))
  }

  /// Returns the expected text of a row, with the marked lines in place of the letters.
  static func expanded(_ row: Row) -> String? {
    let account =
      (row.service == "su" ? ["account sufficient pam_rootok.so"] : [])
      + ["account required pam_mfa.so"]
      + (row.service == "sshd" ? ["session optional pam_mfa.so"] : [])
    func block(_ lines: [String]) -> String {
      String(
        decoding: MarkedText(service: Array(row.service.utf8)).block(lines).dropLast(),
        as: UTF8.self)
    }
    let auth = ["auth requisite pam_mfa.so after_password"]
    return row.expected.map { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        switch line {
        case "AC": block(auth + account)
        case "A": block(auth)
        case "SC":
          block(
            ["auth include common-auth"] + auth
              + ["auth [success=1 default=ignore] pam_permit.so"] + account)
        case "C": block(account)
        case _: String(line)
        }
      }.joined(separator: "\n")
    }
  }

  @Test("the lines are put in the first suitable place, or refused", arguments: rows)
  func place(row: Row) throws {
    let service = Array(row.service.utf8)
    let source = Self.stacks(row)
    let file = try #require(try source.file(service))
    let plan: StackPlan
    do throws(AdminError) {
      plan = try StackPlan(service, mark: service, file: file, in: source)
    } catch {
      #expect(row.expected == nil, "\(row.number): \(error.message)")
      #expect(error.message.contains(row.refusal), "\(row.number): \(error.message)")
      return
    }
    let expected = try #require(Self.expanded(row), "\(row.number): the file was not refused")
    #expect(String(decoding: plan.text, as: UTF8.self) == expected, "\(row.number)")
    #expect(
      MarkedText(service: service).removing(from: plan.text)
        == .removed(file.contents, editedLine: nil),
      "\(row.number)")
  }

  /// Stacks of programs with one field, with O for the marked `auth` and `account` lines and P and C for each.
  static let oneField: [(text: String, expected: String?, refusal: String)] = [
    (
      "@include common-auth\n@include common-account\n",
      "O\n@include common-auth\n@include common-account\n", ""
    ),
    // Debian's vsftpd.
    (
      "auth required pam_listfile.so item=user sense=deny file=/etc/ftpusers onerr=succeed\n"
        + "@include common-account\n@include common-auth\nauth required pam_shells.so\n",
      "auth required pam_listfile.so item=user sense=deny file=/etc/ftpusers onerr=succeed\n"
        + "C\n@include common-account\nP\n@include common-auth\nauth required pam_shells.so\n", ""
    ),
    (
      "auth optional pam_unix.so\nauth required pam_permit.so\n", nil,
      "a wrong password would sign users in"
    ),
    (
      "auth sufficient pam_fprintd.so\n@include common-auth\n", nil,
      "/pam/vsftpd:1 can end the stack"
    ),
    ("auth required pam_env.so\n", nil, StackProof.noPassword),
  ]

  @Test("a service without account lines keeps those of the service other")
  func accountOfOther() throws {
    let service = Array("mate-screensaver".utf8)
    let source = OverlaidStacks(
      Stacks(files: [
        "mate-screensaver": "@include common-auth\n", "common-auth": Self.commonAuth,
        "common-account": Self.commonAccount, "other": "@include common-account\n",
      ]))
    let file = try #require(try source.file(service))
    let plan = try StackPlan(service, mark: service, file: file, in: source)
    let added = MarkedText(service: service).block([
      "auth requisite pam_mfa.so after_password", "account required pam_mfa.so",
      "account include other",
    ])
    #expect(
      String(decoding: plan.text, as: UTF8.self)
        == "@include common-auth\n" + String(decoding: added, as: UTF8.self))
    #expect(
      MarkedText(service: service).removing(from: plan.text)
        == .removed(file.contents, editedLine: nil))
    let changed = source.replacing(service, with: StackFile(path: file.path, contents: plan.text))
    let account = try ServiceStack(.account, of: service, from: changed).entries
    #expect(account.count == 4 && account.first?.moduleFile == Array("pam_mfa.so".utf8))
  }

  @Test("passwords for programs have a line of their own above those of password and code")
  func programPasswords() throws {
    let service = Array("dovecot".utf8)
    let text = "@include common-auth\n@include common-account\n"
    let source = Self.stacks(Row(number: 0, service: "dovecot", text: text, expected: nil))
    let file = try #require(try source.file(service))
    let plan = try StackPlan(
      service, .password, .oneField, acceptsProgramPasswords: true, mark: service, file: file,
      in: source)
    let changed = source.replacing(service, with: StackFile(path: file.path, contents: plan.text))
    let auth = try ServiceStack(.auth, of: service, from: changed).entries
    #expect(auth.prefix(3).map(\.callsModule) == [true, true, false])
    #expect(auth.prefix(2).map(\.callsModuleForProgramPasswords) == [true, false])
    #expect(
      MarkedText(service: service).removing(from: plan.text)
        == .removed(file.contents, editedLine: nil))
  }

  @Test(
    "the line of a program that verifies passwords itself stands above the account lines, or is refused",
    arguments: [
      (
        "@include common-auth\n@include common-account\n",
        "@include common-auth\nR\n@include common-account\n"
      ),
      ("@include common-auth\n", "@include common-auth\nR\n"),
      (
        "account [success=1 default=ignore reset=reset] pam_unix.so\n", nil
      ),
    ] as [(String, String?)])
  func requiringCode(text: String, expected: String?) throws {
    let service = Array("samba".utf8)
    let source = Self.stacks(
      Row(number: 1, service: "samba", text: text, expected: expected))
    let file = try #require(try source.file(service))
    let block = MarkedText(service: service).block(["account required pam_mfa.so require_code"])
    do throws(AdminError) {
      let plan = try StackPlan(requiringCodeAt: service, mark: service, file: file, in: source)
      #expect(
        String(decoding: plan.text, as: UTF8.self)
          == expected?.replacing("R\n", with: String(decoding: block, as: UTF8.self)))
    } catch {
      #expect(expected == nil, "\(error.message)")
    }
  }

  @Test(
    "in one field, the line stands above the password's, which gets the password from it",
    arguments: oneField.indices)
  func inOneField(index: Int) throws {
    let (text, expected, refusal) = Self.oneField[index]
    let service = Array("vsftpd".utf8)
    let source = Self.stacks(Row(number: index, service: "vsftpd", text: text, expected: expected))
    let file = try #require(try source.file(service))
    func block(_ lines: String...) -> String {
      String(decoding: MarkedText(service: service).block(lines).dropLast(), as: UTF8.self)
    }
    let (auth, account) = (
      "auth required pam_mfa.so forward_pass", "account required pam_mfa.so"
    )
    do throws(AdminError) {
      let plan = try StackPlan(service, .password, .oneField, mark: service, file: file, in: source)
      let marked = expected?.split(separator: "\n", omittingEmptySubsequences: false).map {
        switch $0 {
        case "O": block(auth, account)
        case "P": block(auth)
        case "C": block(account)
        case _: String($0)
        }
      }.joined(separator: "\n")
      #expect(String(decoding: plan.text, as: UTF8.self) == marked)
      #expect(
        MarkedText(service: service).removing(from: plan.text)
          == .removed(file.contents, editedLine: nil))
    } catch {
      #expect(expected == nil, "\(error.message)")
      #expect(error.message.contains(refusal), "\(error.message)")
    }
  }

  @Test("a line after a key stands above all others, and the usual lines stay")
  func keyOrPassword() throws {
    let service = Array("sshd".utf8)
    for row in Self.rows where row.service == "sshd" {
      let source = Self.stacks(row)
      let file = try #require(try source.file(service))
      let plan: StackPlan
      do throws(AdminError) {
        plan = try StackPlan(service, .keyOrPassword, mark: service, file: file, in: source)
      } catch {
        #expect(row.expected == nil, "\(row.number): \(error.message)")
        #expect(error.message.contains(row.refusal), "\(row.number): \(error.message)")
        continue
      }
      let usual = try #require(Self.expanded(row), "\(row.number): the file was not refused")
      let top = MarkedText(service: service).block([
        "auth [success=done new_authtok_reqd=done ignore=ignore default=die] pam_mfa.so after_key"
      ])
      #expect(plan.text == top + Array(usual.utf8), "\(row.number)")
      #expect(
        MarkedText(service: service).removing(from: plan.text)
          == .removed(file.contents, editedLine: nil),
        "\(row.number)")
    }
  }

  /// Stacks that a wrong password does not end, and what is refused with each kind of factors.
  static let wrongPasswords: [(text: String, first: SecureShellFactors.First, refusal: String?)] = [
    (jumpingOver, .password, "the stack fails whatever its modules return"),
    (jumpingOver, .keyOrPassword, "the stack fails whatever its modules return"),
    (jumpingOver, .key, "because of /pam/sshd:6"),
    ("auth optional pam_unix.so\nauth required pam_permit.so\n", .key, "because of /pam/sshd:6"),
    ("auth required pam_permit.so\n", .key, "because of /pam/sshd:6"),
    ("auth sufficient pam_fprintd.so\n@include common-auth\n", .key, "because of /pam/sshd:6"),
    ("auth requisite pam_unix.so\n", .key, nil),
    ("auth required pam_unix.so\n", .key, nil),
    ("@include common-auth\n@include common-account\n", .key, nil),
  ]

  static let jumpingOver =
    "auth [default=1] pam_unix.so\nauth requisite pam_deny.so\nauth required pam_permit.so\n"

  @Test(
    "a stack that a wrong password does not end is refused, whatever is presented before the code",
    arguments: wrongPasswords.indices)
  func wrongPassword(index: Int) throws {
    let (text, first, refusal) = Self.wrongPasswords[index]
    let service = Array("sshd".utf8)
    let source = Self.stacks(Row(number: index, text: text, expected: nil))
    let file = try #require(try source.file(service))
    do throws(AdminError) {
      let plan = try StackPlan(service, first, mark: service, file: file, in: source)
      #expect(refusal == nil, "\(String(decoding: plan.text, as: UTF8.self))")
    } catch {
      #expect(error.message.contains(refusal ?? "no refusal"), "\(error.message)")
    }
  }

  @Test(
    "service names are validated",
    arguments: [
      ("sshd", true), ("gdm-password", true), ("a.b+c@d_e-1", true), ("", false), (".sshd", false),
      ("SSHD", false), ("a/b", false), ("other", false), ("common-auth", false),
      ("mfa-enroll", false), ("a b", false), ("é", false),
      (String(repeating: "a", count: 65), false), ("system-auth", false),
      ("system-login", false), ("config-util", false),
    ])
  func names(text: String, isService: Bool) {
    do throws(AdminError) {
      #expect(try ServicePlan.service(text) == Array(text.utf8) && isService, "\(text)")
    } catch {
      #expect(!isService, "\(text)")
    }
  }
}
