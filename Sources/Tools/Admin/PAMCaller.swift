/// The identity of the process that calls PAM for a service: root or another user.
package enum PAMCaller {
  /// The services whose program runs with the identity of the user who starts it. They ask for a
  /// code only if that user is not root, because pam_rootok.so lets root through.
  private static let others = ["su", "su-l"].map { Array($0.utf8) }

  /// Returns whether the caller is root when the service asks for a code.
  package static func isRoot(at service: [UInt8]) -> Bool { !others.contains(service) }

  /// The screen lockers that run as the user and cannot open the store. In them, the module asks the
  /// helper, which sends no codes to phones.
  private static let lockers: Set = [
    "i3lock", "swaylock", "xlock", "xscreensaver", "xsecurelock", "kscreensaver", "kde",
    "gnome-screensaver", "mate-screensaver", "cinnamon-screensaver", "xfce4-screensaver", "screen",
  ]

  /// Returns whether the service's program runs as the user whom it asks, without other rights.
  package static func isUnprivileged(_ service: [UInt8]) -> Bool {
    lockers.contains(String(decoding: service, as: UTF8.self))
  }

  /// The services whose program a signed-in user starts, so that its real UID, which pam_rootok.so
  /// compares, is the user's.
  private static let tools: Set = [
    "su", "su-l", "sudo", "sudo-i", "doas", "polkit-1", "pkexec", "chsh", "chfn", "passwd", "vlock",
    "mfa-enroll",
  ]

  /// Returns whether signed-in users start the service's program. Other programs are root's, and
  /// pam_rootok.so then always succeeds.
  package static func isStartedByUsers(_ service: [UInt8]) -> Bool {
    isUnprivileged(service) || tools.contains(String(decoding: service, as: UTF8.self))
  }
}
