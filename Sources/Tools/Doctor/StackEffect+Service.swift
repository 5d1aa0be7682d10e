import MFAAdmin
import MFAPAMStack

extension StackEffect {
  /// Follows all ways through the `auth` stack of a service. pam_rootok.so succeeds there if the
  /// service's program is root's.
  package init(ofAuthStack stack: ServiceStack, of service: [UInt8], for claimant: Claimant) {
    var claimant = claimant
    claimant.isCalledByRoot = !PAMCaller.isStartedByUsers(service)
    self.init(of: service, .auth, stack, for: claimant)
  }
}
