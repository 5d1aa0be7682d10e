import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// What reaches the kernel's audit trail, by way of a libaudit of the tests' own that writes down how
  /// it is called.
  @Suite struct AuditTrail {
    /// Makes the library; returns the folder that it is in, and the file that it writes.
    private func makeLibrary(
      _ machine: Machine, opens: String = "open(\"/dev/null\", O_WRONLY)"
    ) throws -> (folder: String, calls: String) {
      let folder = machine.folder + "/audit-\(opens.utf8.count)"
      let calls = folder + "/calls"
      try Command.succeed(["/bin/mkdir", "-m", "0755", folder])
      try machine.write(
        """
        #include <errno.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        int audit_open(void) { return \(opens); }
        void audit_close(int trail) { close(trail); }
        int audit_log_acct_message(int trail, int type, const char *program, const char *operation,
            const char *name, unsigned id, const char *host, const char *address,
            const char *terminal, int succeeded) {
          FILE *file = fopen("\(calls)", "a");
          fprintf(file, "%d %s %s %d %s %s %s %d\\n", type, operation, name, (int)id,
              host ? host : "NULL", address ? address : "NULL", terminal ? terminal : "NULL",
              succeeded);
          return fclose(file), trail >= 0 && program == NULL;
        }
        """, to: folder + "/audit.c")
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
      try Command.succeed(
        [
          "/bin/sh", "-ec",
          """
          for compiler in cc clang gcc; do
            if command -v $compiler >/dev/null; then
              exec $compiler -shared -fPIC -Wl,-soname,libaudit.so.1 \
                -o $1/libaudit.so.1 $1/audit.c
            fi
          done
          exit 1
          """, "sh", folder,
        ], environment: ["PATH": path])
      return (folder, calls)
    }

    /// The calls that are ours, for libpam makes its own.
    private func calls(_ machine: Machine, _ path: String) -> [String] {
      String(decoding: machine.contents(of: path) ?? [], as: UTF8.self).split(separator: "\n")
        .map(String.init).filter { $0.contains(" mfa:") }
    }

    @Test("judged codes and changes are recorded; no name is handed on to be looked up")
    func records() throws {
      try Machine.use { machine in
        let (folder, path) = try makeLibrary(machine)
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        for (answer, host, terminal) in [
          (try enrollment.phone.code(offset: -3), "203.0.113.9", "ssh"),
          ("000000", "2001:db8::1", "tty 1"), ("no code", "203.0.113.9", "ssh"),
          (try enrollment.phone.code(offset: -2), "host.example", "ssh"),
        ] {
          var options = PAMClient.Options()
          options.remoteHost = host
          options.terminal = terminal
          _ = try PAMClient.signIn(
            service: service, user: user.name, answers: [.text(answer)], options: options,
            environment: ["LD_LIBRARY_PATH": folder])
        }
        #expect(
          calls(machine, path) == [
            "1100 mfa:code \(user.name) -1 NULL 203.0.113.9 ssh 1",
            "1100 mfa:code \(user.name) -1 NULL 2001:db8::1 tty\\x201 0",
            "1100 mfa:code \(user.name) -1 NULL ? ssh 1",
          ])
        for arguments in [
          ["ticket", user.name], ["withdraw", user.name, "--all"],
          ["revoke", user.name, "--all", "--yes"],
        ] {
          try Command.succeed(
            ["/usr/sbin/mfa-admin"] + arguments, environment: ["LD_LIBRARY_PATH": folder])
        }
        #expect(
          calls(machine, path).dropFirst(3) == [
            "1102 mfa:ticket-made \(user.name) -1 NULL ? ? 1",
            "1102 mfa:grant-withdrawn \(user.name) -1 NULL ? ? 1",
            "1102 mfa:revoked \(user.name) -1 NULL ? ? 1",
          ])
      }
    }

    @Test("a kernel without audit, and a process that is not root's, are no obstacle")
    func absent() throws {
      try Machine.use { machine in
        let (folder, path) = try makeLibrary(machine, opens: "(errno = EPROTONOSUPPORT, -1)")
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let environment = ["LD_LIBRARY_PATH": folder]
        let first = try PAMClient.signIn(
          service: service, user: user.name,
          answers: [.text(try enrollment.phone.code(offset: -3))],
          environment: environment)
        #expect(first.code == "PAM_SUCCESS", "\(first)")
        let own = try PAMClient.signIn(
          service: service, user: user.name,
          answers: [.text(try enrollment.phone.code(offset: -2))],
          as: user.identity, environment: environment)
        #expect(own.code == "PAM_SUCCESS", "\(own)")
        #expect(calls(machine, path).isEmpty)
      }
    }
  }
}
