public import HelperProtocol

/// A conversation with the helper, about the factors of the user who runs this process. It ends with
/// the value.
public protocol HelperLink: AnyObject {
  /// Sends a request, and waits for what the helper says to it. Notices before that are skipped.
  func ask(_ request: consuming HelperRequest) throws(HelperTrouble) -> HelperResponse
}
