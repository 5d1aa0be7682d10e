import MFATestSupport
import Testing

@testable import MFADoctor

/// Rules as real programs print them.
enum SudoersSample {
  /// The output of `cvtsudoers -f json` 1.9.13.
  static let policy = #"""
    {
        "Defaults": [
            {
                "Options": [
                    { "env_reset": true },
                    { "lecture": false }
                ]
            },
            {
                "Binding": [
                    { "username": "alice" },
                    { "usergroup": "wheel" }
                ],
                "Options": [
                    { "authenticate": false }
                ]
            },
            {
                "Binding": [
                    { "username": "www-data" }
                ],
                "Options": [
                    { "targetpw": true }
                ]
            },
            {
                "Binding": [
                    { "hostname": "host1" }
                ],
                "Options": [
                    { "rootpw": true }
                ]
            },
            {
                "Binding": [
                    { "command": "/usr/bin/id" },
                    { "cmndalias": "LIST" }
                ],
                "Options": [
                    { "runaspw": true }
                ]
            },
            {
                "Options": [
                    {
                        "operation": "list_add",
                        "env_keep": [
                            "A",
                            "B"
                        ]
                    },
                    { "timestamp_timeout": "-1" },
                    { "timestamp_type": "global" }
                ]
            }
        ],
        "User_Aliases": {
            "FOLK": [
                { "username": "alice" },
                { "useralias": "OTHERS" },
                { "netgroup": "ng" },
                { "userid": 1000 },
                { "usergid": 100 }
            ],
            "OTHERS": [
                { "usergroup": "staff" },
                {
                    "username": "eve",
                    "negated": true
                }
            ]
        },
        "Command_Aliases": {
            "LIST": [
                { "command": "/bin/ls" },
                {
                    "command": "/bin/dd",
                    "negated": true
                }
            ]
        },
        "User_Specs": [
            {
                "User_List": [
                    { "useralias": "FOLK" },
                    {
                        "useralias": "OTHERS",
                        "negated": true
                    }
                ],
                "Host_List": [
                    { "networkaddr": "10.0.0.0/8" },
                    {
                        "hostname": "bar",
                        "negated": true
                    }
                ],
                "Cmnd_Specs": [
                    {
                        "runasusers": [
                            { "username": "" }
                        ],
                        "runasgroups": [
                            { "usergroup": "ALL" }
                        ],
                        "Options": [
                            { "notafter": "20250101000000Z" },
                            "runcwd": "/tmp",
                            { "authenticate": false },
                            { "noexec": true }
                        ],
                        "Commands": [
                            { "command": "/bin/cat \"a b,c\"" },
                            {
                                "cmndalias": "LIST",
                                "negated": true
                            },
                            { "command": "ALL" }
                        ]
                    }
                ]
            }
        ]
    }
    """#

  /// The output of `cvtsudoers -f json -d runas -s privileges,aliases` 1.9.13 for the same rules.
  static let runAs = #"""
    {
        "Defaults": [
            {
                "Binding": [
                    { "username": "www-data" }
                ],
                "Options": [
                    { "targetpw": true }
                ]
            }
        ]
    }
    """#

  /// The output of `sudo -ll -U games` 1.9.13.
  static let listing = #"""
    Matching Defaults entries for games on vm:
        timestamp_timeout=-1, pam_service="log in,x", env_keep+="A B", !authenticate

    Runas and Command-specific defaults for games:
        Defaults>root targetpw    Defaults!/bin/ls, !/bin/dd runaspw

    User games may run the following commands on vm:

    Sudoers entry:
        RunAsUsers: ALL, !#5
        RunAsGroups: ALL
        Options: setenv, noexec, !authenticate
        Commands:
    	ALL
    	/bin/ls -l "a b\,c"
    	!/bin/dd

    LDAP Role: x
        RunAsUsers: root
        Commands:
    	sudoedit /etc/motd

    """#

  /// The lines of `sudo -V` 1.9.13 for root that matter, as Debian 12 builds it.
  static let version = """
    Sudo version 1.9.13p3
    Configure options: --prefix=/usr --with-pam --with-pam-login --with-fqdn --with-timeout=15 --with-sssd
    Sudoers policy plugin version 1.9.13p3
    Sudoers file grammar version 50

    Sudoers path: /etc/sudoers
    Authentication methods: 'pam'
    Require users to authenticate by default
    Require fully-qualified hostnames in the sudoers file
    Authentication timestamp timeout: 15.0 minutes
    Default user to run commands as: root
    PAM service name to use: sudo
    PAM service name to use for login shells: sudo-i
    Perform PAM account validation management
    Type of authentication timestamp record: tty

    """

  /// Returns the context of a host named `vm`.
  static func context(version text: String = version) throws -> SudoersContext {
    SudoersContext(
      host: SudoersHost(name: "vm", usesFullName: true),
      version: try #require(SudoVersion(Array(text.utf8))), time: "20261123100000Z")
  }

  /// Whether the real program is installed.
  static var hasConverter: Bool {
    do throws(HarnessFailure) {
      return try Command.run(["/usr/bin/test", "-x", "/usr/bin/cvtsudoers"]).status.isSuccess
    } catch {
      return false
    }
  }

  /// Returns the policy of a sudoers file, which the installed cvtsudoers reads.
  static func convert(_ text: String) throws -> SudoersPolicy {
    func output(_ arguments: [String]) throws -> [UInt8] {
      Array(
        try Command.succeed(
          ["/usr/bin/cvtsudoers", "-f", "json"] + arguments, input: Array((text + "\n").utf8)
        ).utf8)
    }
    return try SudoersPolicy(
      output([]), runAsDefaults: output(["-d", "runas", "-s", "privileges,aliases"]))
  }

  /// Runs a script that can replace the host's rules for itself.
  static let unshare = [
    "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-ec",
  ]

  /// Whether a test can replace the rules for a script.
  static var canReplaceRules: Bool {
    do throws(HarnessFailure) {
      return try Command.run(
        unshare + [
          "test -x /usr/bin/cvtsudoers; test -x /usr/bin/setpriv; "
            + "mount -t tmpfs rules /run; mount --bind /etc/sudoers /etc/sudoers; sudo -V"
        ]
      ).status.isSuccess
    } catch {
      return false
    }
  }
}
