import MFAAdmin
import MFAModel
import ArgumentParser

/// Parses the argument of --reason.
func grantReason(_ text: String) throws -> Grant.Reason {
  do throws(DisplayName.Refusal) {
    return try Grant.Reason(Array(text.utf8))
  } catch {
    throw ValidationError(
      "--reason takes 1 to \(Grant.Reason.maximumLength) characters on one line")
  }
}
