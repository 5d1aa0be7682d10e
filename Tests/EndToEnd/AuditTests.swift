import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Kernel audit records, recorded by a substitute libaudit that logs how it is called.
  @Suite struct AuditTrail {
    @Test("codes and changes are recorded, without host names that libaudit would resolve")
    func records() throws {
      let library = try StandInAudit(machine)
      let (user, enrollment, service) = try machine.addSignIn()
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
          environment: ["LD_LIBRARY_PATH": library.folder])
      }
      #expect(
        library.records(machine) == [
          "1100 mfa:code \(user.name) -1 NULL 203.0.113.9 ssh 1",
          "1100 mfa:code \(user.name) -1 NULL 2001:db8::1 tty\\x201 0",
          "1100 mfa:code \(user.name) -1 NULL ? ssh 1",
        ])
      for arguments in [
        ["ticket", user.name], ["withdraw", user.name, "--all"],
        ["revoke", user.name, "--all", "--yes"],
      ] {
        try Command.succeed(
          ["/usr/sbin/mfa-admin"] + arguments, environment: ["LD_LIBRARY_PATH": library.folder])
      }
      #expect(
        library.records(machine).dropFirst(3) == [
          "1102 mfa:ticket-made \(user.name) -1 NULL ? ? 1",
          "1102 mfa:grant-withdrawn \(user.name) -1 NULL ? ? 1",
          "1102 mfa:revoked \(user.name) -1 NULL ? ? 1",
        ])
    }

    @Test("configuration and service changes of mfa-admin are recorded")
    func configuration() throws {
      let library = try StandInAudit(machine)
      try machine.keepServices()
      try machine.keep("/etc/mfa/mfa.conf.d")
      let json = machine.folder + "/mfa.json"
      try machine.write(
        #"{"mfa": {"providerConfigs": [{"state": "ENABLED", "totpProviderConfig": {}}]}}"#,
        to: json)
      for arguments in [
        ["config", "apply", json], ["enable", "su", "--no-confirm"], ["disable", "su"],
        ["enable", "su"], ["restore", "--boot"],
      ] {
        try Command.succeed(
          [ServiceFiles.program] + arguments, environment: ["LD_LIBRARY_PATH": library.folder])
      }
      let file = "/etc/mfa/mfa.conf.d/50-identity-platform.conf"
      #expect(
        library.records(machine) == [
          "1111 op=mfa:configured file=\(file) NULL ? ? 1",
          "1111 op=mfa:service-enabled service=su NULL ? ? 1",
          "1111 op=mfa:service-disabled service=su NULL ? ? 1",
          "1111 op=mfa:service-enabled service=su NULL ? ? 1",
          "1111 op=mfa:service-restored service=su NULL ? ? 1",
        ])
    }

    @Test("sign-ins work without kernel auditing, and for processes that are not root's")
    func absent() throws {
      let library = try StandInAudit(machine, opens: "(errno = EPROTONOSUPPORT, -1)")
      let (user, enrollment, service) = try machine.addSignIn()
      let environment = ["LD_LIBRARY_PATH": library.folder]
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
      #expect(library.records(machine).isEmpty)
    }
  }
}

/// A substitute libaudit that records how it is called.
struct StandInAudit {
  /// The folder that contains it, for LD_LIBRARY_PATH.
  let folder: String

  /// Builds the library; `opens` is the C expression for the result of opening the audit socket.
  init(_ machine: Machine, opens: String = "open(\"/dev/null\", O_WRONLY)") throws {
    folder = machine.folder + "/audit-\(opens.utf8.count)"
    try Command.succeed(["/bin/mkdir", "-m", "0755", folder])
    try machine.write(
      """
      #include <errno.h>
      #include <fcntl.h>
      #include <stdio.h>
      #include <string.h>
      #include <unistd.h>
      int audit_open(void) { return \(opens); }
      void audit_close(int trail) { close(trail); }
      static const char *known(const char *text) { return text ? text : "NULL"; }
      static void write_capabilities(const char *operation) {
        FILE *file = fopen("\(capabilities)", "a");
        FILE *status = fopen("/proc/self/status", "r");
        char line[256];
        while (fgets(line, sizeof line, status))
          if (strncmp(line, "CapEff:", 7) == 0) fprintf(file, "%s %s", operation, line + 8);
        fclose(status), fclose(file);
      }
      int audit_log_acct_message(int trail, int type, const char *program, const char *operation,
          const char *name, unsigned id, const char *host, const char *address,
          const char *terminal, int succeeded) {
        write_capabilities(operation);
        FILE *file = fopen("\(calls)", "a");
        fprintf(file, "%d %s %s %d %s %s %s %d\\n", type, operation, name, (int)id, known(host),
            known(address), known(terminal), succeeded);
        return fclose(file), trail >= 0 && program == NULL;
      }
      int audit_log_user_message(int trail, int type, const char *message, const char *host,
          const char *address, const char *terminal, int succeeded) {
        FILE *file = fopen("\(calls)", "a");
        fprintf(file, "%d %s %s %s %s %d\\n", type, message, known(host), known(address),
            known(terminal), succeeded);
        return fclose(file), trail >= 0;
      }
      """, to: folder + "/audit.c")
    // The helper writes there too.
    for file in [calls, capabilities] { try machine.write("", to: file, mode: "0666") }
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
  }

  private var calls: String { folder + "/calls" }
  private var capabilities: String { folder + "/capabilities" }

  /// The wrapper for a program that ignores LD_LIBRARY_PATH: it mounts the library over the
  /// installed one, as root.
  var wrapper: [String] {
    [
      "/usr/bin/unshare", "--mount", "--", "/bin/sh", "-ec",
      """
      for library in /usr/lib/*/libaudit.so.1 /usr/lib64/libaudit.so.1 /usr/lib/libaudit.so.1; do
        if [ -e "$library" ]; then mount --bind "$1" "$library"; fi
      done
      shift
      exec "$@"
      """, "sh", folder + "/libaudit.so.1",
    ]
  }

  /// Returns the records that this project writes, without those of libpam.
  func records(_ machine: Machine) -> [String] { lines(machine, calls).filter(isOurs) }

  /// Returns the effective capabilities at each record.
  func capabilities(_ machine: Machine) -> [String] {
    lines(machine, capabilities).filter { $0.hasPrefix("mfa:") }
      .compactMap { $0.split(separator: " ").last.map(String.init) }
  }

  private func isOurs(_ record: String) -> Bool {
    record.contains(" mfa:") || record.contains(" op=mfa:")
  }

  private func lines(_ machine: Machine, _ path: String) -> [String] {
    machine.text(of: path).split(separator: "\n")
      .map(String.init)
  }
}
