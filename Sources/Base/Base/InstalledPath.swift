/// The files and folders of an installation, and the system's files that it reads or changes.
///
/// packaging/install creates the installation's own paths, and cannot share these constants. A test
/// compares them. (`InstalledPathTests`)
package enum InstalledPath {
  /// The folder of the host's configuration.
  package static var configurationFolder: StaticString { "/etc/mfa" }
  /// The host's configuration.
  package static var configuration: StaticString { "/etc/mfa/mfa.conf" }
  /// The folder of configuration drop-ins.
  package static var dropIns: StaticString { "/etc/mfa/mfa.conf.d" }
  /// The sealing key.
  package static var key: StaticString { "/etc/mfa/key" }
  /// The folder with the identity of the host's own store.
  package static var storeIdentity: StaticString { "/etc/mfa/identity" }
  /// The file with which an image says that the next start is the first one of a machine.
  package static var newMachine: StaticString { "/etc/mfa/image" }
  /// The script that creates the store.
  package static var storeScript: StaticString { "/usr/lib/mfa/make-store" }
  /// The file that exists on a host whose users' factors are kept by a realm.
  package static var realm: StaticString { "/etc/mfa/realm" }
  /// The list of what `mfa-admin realm import` has imported from this host into its realm.
  package static var importedUsers: StaticString { "/etc/mfa/imported" }
  /// The hash of the break-glass code, which may stand in for a code while the store cannot be used.
  package static var breakGlass: StaticString { "/etc/mfa/break-glass" }
  /// The folder of changes to services that wait for a confirmation.
  package static var pendingChanges: StaticString { "/etc/mfa/changes" }
  /// The folder of confirmed changes to services.
  package static var confirmedChanges: StaticString { "/etc/mfa/enabled" }
  /// The list of the findings of `mfa-admin doctor` that administrators accepted.
  package static var acceptedFindings: StaticString { "/etc/mfa/accepted-findings" }
  /// The lock that a program holds while it changes the configuration.
  package static var configurationLock: StaticString { "/run/mfa-config.lock" }
  /// The folder of the local store; see `StoreFile`.
  package static var store: StaticString { "/var/lib/mfa" }
  /// The folder of the helper and of the vendor's configuration.
  package static var programFolder: StaticString { "/usr/lib/mfa" }
  /// The helper.
  package static var helper: StaticString { "/usr/lib/mfa/mfa-helper" }
  /// The resident service.
  package static var resident: StaticString { "/usr/lib/mfa/mfad" }
  /// The checksums (SHA-256) of the installed programs and modules.
  package static var checksums: StaticString { "/usr/lib/mfa/sha256sums" }
  /// The folder of the resident service's sockets.
  package static var residentFolder: StaticString { "/run/mfa" }
  /// The socket of the resident service for applications that act as root.
  package static var residentRootSocket: StaticString { "/run/mfa/root" }
  /// The socket of the resident service for all users.
  package static var residentUserSocket: StaticString { "/run/mfa/users" }
  /// The socket of the gateway service, which sends messages to phones.
  package static var gatewaySocket: StaticString { "/run/mfa/gateway" }
  /// The folder of the gateways that send messages to phones.
  package static var gateways: StaticString { "/usr/lib/mfa/gateways" }
  /// The vendor's configuration.
  package static var vendorConfiguration: StaticString { "/usr/lib/mfa/mfa.conf" }
  /// The folder of PAM's service files.
  package static var services: StaticString { "/etc/pam.d" }
  /// The folder of the vendors' service files.
  package static var vendorServices: StaticString { "/usr/lib/pam.d" }
  /// The service file with which the helper verifies a user's password.
  package static var helperService: StaticString { "/etc/pam.d/mfa-enroll" }
  /// The folder of sshd's configuration.
  package static var sshdFolder: StaticString { "/etc/ssh" }
  /// The configuration of sshd.
  package static var sshd: StaticString { "/etc/ssh/sshd_config" }
  /// The folder of drop-ins of sshd's configuration.
  package static var sshdDropIns: StaticString { "/etc/ssh/sshd_config.d" }
}
